import { routes } from "@envs/hub-client";
import type { FastifyInstance } from "fastify";

import { findAdvisories } from "../../packages/advisories/advisories.ts";
import { publishAdvisory, withdrawAdvisory } from "../../packages/advisories/publish-advisory.ts";
import { HubError } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { formFields, type SignedInVisitor } from "../layout/require-session.ts";
import { Advisories } from "./advisories.tsx";
import { managedPackage, packageForms, sendPackageSettings } from "./package-settings.tsx";

const section = "/settings/advisories";

/** Registers the page that lists, publishes and withdraws the advisories of a package. */
export function advisorySettings(app: FastifyInstance, hub: Hub): void {
  const addForm = packageForms(app, hub, {
    section,
    notices: { published: "Advisory published.", withdrawn: "Advisory withdrawn." },
    async show(visitor, reply, { name, ...feedback }) {
      const { package: package_, identity, isAdmin } = await managedPackage(hub, visitor, name);
      const advisories = await findAdvisories(hub.database, identity, { packageId: package_.id });
      const children = <Advisories {...{ name, isAdmin, advisories }} />;
      return sendPackageSettings(reply, visitor, { name, isAdmin, section, children, ...feedback });
    },
  });

  addForm("/publish", (visitor) => {
    const advisory = advisoryIn(visitor);
    return {
      done: "published",
      permission: "admin",
      evenIfArchived: true,
      work: (change) => publishAdvisory(change, advisory),
    };
  });

  addForm("/withdraw", ({ request }) => {
    const id = Number(formFields(request, "id").id);
    return {
      done: "withdrawn",
      permission: "admin",
      evenIfArchived: true,
      work: (change) => withdrawAdvisory(change, Number.isSafeInteger(id) ? id : 0),
    };
  });
}

/** The form's advisory, by the rules of the API. */
function advisoryIn({ request }: SignedInVisitor) {
  const fields = formFields(
    request,
    "title",
    "severity",
    "vulnerable",
    "patched",
    "cwe",
    "overview",
  );
  const { data, error } = routes.publishAdvisory.body.safeParse({
    title: fields.title,
    overview: fields.overview,
    severity: fields.severity,
    vulnerableVersions: fields.vulnerable.trim(),
    patchedVersions: fields.patched.trim() || undefined,
    cwe: fields.cwe.toUpperCase().match(/\S+/g) ?? [],
  });
  if (data !== undefined) return data;
  const issues = error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  throw new HubError("invalid-request", {
    message: `The advisory is not valid. ${issues.join("; ")}`,
  });
}

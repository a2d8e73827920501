import type { FastifyInstance } from "fastify";
import * as z from "zod";

import {
  configuration,
  type Configuration,
} from "../../access/trusted-publishers/configuration.ts";
import {
  addTrustedPublishers,
  changeTrust,
  listTrustedPublishers,
  removeTrustedPublisher,
  requireTrustRight,
} from "../../access/trusted-publishers/store.ts";
import { requireIdentity } from "../../identity/request/identity.ts";
import { HubError, notFound } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { formFields, type SignedInVisitor } from "../layout/require-session.ts";
import { packageSection, sendPackageSettings } from "./package-settings.tsx";
import { TrustedPublishers } from "./trusted-publishers.tsx";

const section = "/settings/trusted-publishers";

/** Registers the page of a package's trusted publishers, which also exists for a free name that the visitor may publish. */
export function trustedPublisherSettings(app: FastifyInstance, hub: Hub): void {
  const addForm = packageSection(app, hub, {
    section,
    notices: {
      added: "Trusted publisher added.",
      removed: "Trusted publisher removed. Tokens of its builds are no longer valid.",
    },
    async show(visitor, reply, { name, ...feedback }) {
      const identity = await requireIdentity(hub, visitor.request);
      await requireTrustRight(hub.database, identity, name);
      const publishers = await listTrustedPublishers(hub.database, name);
      const children = <TrustedPublishers {...{ name, publishers }} />;
      const isAdmin = true;
      return sendPackageSettings(reply, visitor, { name, isAdmin, section, children, ...feedback });
    },
  });

  addForm("/add", async (visitor, name) => {
    await changeTrust(hub, visitor.request, name, (change) =>
      addTrustedPublishers(change, [configurationIn(visitor)]),
    );
    return "added";
  });

  addForm("/remove", async ({ request }, name) => {
    await changeTrust(hub, request, name, async (change) => {
      const { id } = formFields(request, "id");
      if (!z.uuid().safeParse(id).success) throw notFound("This trusted publisher");
      await removeTrustedPublisher(change, id);
    });
    return "removed";
  });
}

/** The form's configuration, by the rules of `npm trust`. */
function configurationIn({ request }: SignedInVisitor): Configuration {
  const fields = formFields(request, "type", "repository", "file", "environment", "permission");
  const repository = fields.repository.trim();
  const file = { file: fields.file.trim() };
  const environment = fields.environment.trim() || undefined;
  const claims =
    fields.type === "gitlab"
      ? { project_path: repository, ci_config_ref_uri: file, environment }
      : { repository, workflow_ref: file, environment };
  const permissions = [fields.permission || "createPackage"];
  const { data } = configuration.safeParse({ type: fields.type, claims, permissions });
  if (data !== undefined) return data;
  throw new HubError("trust-invalid", {
    message:
      "This trusted publisher is not valid. The repository is owner/name, and the workflow file the name of a .yml file without its folder.",
  });
}

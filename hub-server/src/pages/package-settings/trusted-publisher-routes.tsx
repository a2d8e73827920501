import type { FastifyInstance, FastifyReply } from "fastify";
import * as z from "zod";

import { changeTrust, requireTrustRight } from "../../access/trusted-publishers/change-trust.ts";
import {
  configuration,
  type Configuration,
} from "../../access/trusted-publishers/configuration.ts";
import {
  addTrustedPublishers,
  listTrustedPublishers,
  removeTrustedPublisher,
  type TrustChange,
} from "../../access/trusted-publishers/store.ts";
import { requireIdentity } from "../../identity/request/identity.ts";
import { HubError, notFound } from "../../platform/errors/hub-error.ts";
import { packageRoute } from "../../platform/http/package-route.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { formFields } from "../layout/form-fields.ts";
import { afterChange, type Feedback, handleChange } from "../layout/handle-change.tsx";
import { requireSession, type SignedInVisitor } from "../layout/require-session.ts";
import { packagePath } from "../package/package-view.ts";
import { sendPackageSettings } from "./package-settings.tsx";
import { TrustedPublishers } from "./trusted-publishers.tsx";

const section = "/settings/trusted-publishers";
const notices: Readonly<Record<string, string>> = {
  added: "Trusted publisher added.",
  removed: "Trusted publisher removed. Tokens of its builds are no longer valid.",
};

/** A submitted form. */
interface TrustForm {
  readonly done: string;
  readonly work: (change: TrustChange, visitor: SignedInVisitor) => Promise<unknown>;
}

/** Registers the page of a package's trusted publishers, which also exists for a free name that the visitor may publish. */
export function trustedPublisherSettings(app: FastifyInstance, hub: Hub): void {
  packageRoute(app, `GET /package/:package${section}`, async (name, request, reply) => {
    const visitor = await requireSession(hub, request, reply);
    const { done } = request.query as { readonly done?: string };
    return await show(visitor, reply, { name, notice: notices[done ?? ""] });
  });

  addForm("/add", {
    done: "added",
    work: (change, visitor) => addTrustedPublishers(change, [configurationIn(visitor)]),
  });

  addForm("/remove", {
    done: "removed",
    async work(change, { request }) {
      const { id } = formFields(request, "id");
      if (!z.uuid().safeParse(id).success) throw notFound("This trusted publisher");
      await removeTrustedPublisher(change, id);
    },
  });

  function addForm(after: string, { done, work }: TrustForm): void {
    packageRoute(app, `POST /package/:package${section}${after}`, (name, request, reply) =>
      handleChange(hub, request, reply, {
        page: `${packagePath(name)}${section}`,
        show: (visitor, feedback) => show(visitor, reply, { name, ...feedback }),
        async work(visitor) {
          await changeTrust(hub, request, name, (change) => work(change, visitor));
          return afterChange(`${packagePath(name)}${section}`, done);
        },
      }),
    );
  }

  async function show(
    visitor: SignedInVisitor,
    reply: FastifyReply,
    { name, ...feedback }: Feedback & { readonly name: string },
  ): Promise<unknown> {
    const identity = await requireIdentity(hub, visitor.request);
    await requireTrustRight(hub.database, identity, name);
    const publishers = await listTrustedPublishers(hub.database, name);
    const children = <TrustedPublishers {...{ visitor, name, publishers }} />;
    return sendPackageSettings(reply, visitor, {
      name,
      isAdmin: true,
      section,
      children,
      ...feedback,
    });
  }
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

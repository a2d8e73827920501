import type { FastifyInstance, FastifyRequest } from "fastify";
import * as z from "zod";

import { identify, requireIdentity } from "../../identity/request/identity.ts";
import { HubError, notFound } from "../../platform/errors/hub-error.ts";
import { packageRoute } from "../../platform/http/package-route.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { changePackage } from "../changes/change-package.ts";
import {
  packageCollaborators,
  packagesOfOrganisation,
  packagesOfUser,
} from "../permissions/permission-holders.ts";
import { requirePackage } from "../permissions/require-package.ts";
import { type AccessSettings, accessSettings, changeAccess } from "./change-access.ts";

const settingsBody = z.object({
  access: z.enum(["public", "restricted", "private"]).optional(),
  publish_requires_tfa: z.boolean().optional(),
  automation_token_overrides_tfa: z.boolean().optional(),
});

/** `npm access`: a package's access settings and collaborators, and the packages of a user or an organisation. */
export function accessRoutes(app: FastifyInstance, hub: Hub): void {
  packageRoute(app, "GET /-/package/:package/visibility", async (name, request) => {
    const identity = await identify(hub, request);
    const { access } = await requirePackage(hub.database, { identity, name, permission: "read" });
    return { public: access === "public" };
  });

  packageRoute(app, "GET /-/package/:package/access", async (name, request) => {
    const identity = await identify(hub, request);
    const package_ = await requirePackage(hub.database, { identity, name, permission: "read" });
    return settingsResponse(accessSettings(package_));
  });

  packageRoute(app, "POST /-/package/:package/access", async (name, request) => {
    const { result } = await changePackage(hub, request, {
      name,
      permission: "admin",
      work: async (change) => changeAccess(change, settingsIn(request)),
    });
    return settingsResponse(result);
  });

  packageRoute(app, "GET /-/package/:package/collaborators", async (name, request) => {
    const identity = await requireIdentity(hub, request);
    const package_ = await requirePackage(hub.database, { identity, name, permission: "write" });
    const collaborators = await packageCollaborators(hub.database, package_);
    const { format, user } = request.query as Readonly<Record<string, unknown>>;
    if (format !== "cli") return collaborators;
    // pnpm sends this format and expects a list.
    return Object.entries(collaborators)
      .filter(([collaborator]) => user === undefined || collaborator === user)
      .map(([user, permission]) => ({
        user,
        permissions: permission === "write" ? "read-write" : "read-only",
      }));
  });

  app.get("/-/org/:organisation/package", async (request) => {
    const { organisation } = request.params as { readonly organisation: string };
    const identity = await identify(hub, request);
    const ownerId = await accountId(organisation, "organisation");
    return await packagesOfOrganisation(hub.database, { ownerId, identity });
  });

  app.get("/-/user/:user/package", async (request) => {
    const { user } = request.params as { readonly user: string };
    const identity = await requireIdentity(hub, request);
    return await packagesOfUser(hub.database, { userId: await accountId(user, "user"), identity });
  });

  // pnpm reads the caller's own packages here.
  app.get("/-/-/package", async (request) => {
    const identity = await requireIdentity(hub, request);
    return await packagesOfUser(hub.database, { userId: identity.userId, identity });
  });

  async function accountId(name: string, kind: "user" | "organisation"): Promise<number> {
    const account = await hub.database
      .selectFrom("accounts")
      .where("name", "=", name)
      .where("kind", "=", kind)
      .select("id")
      .executeTakeFirst();
    if (account === undefined) throw notFound(`The ${kind} ${name}`);
    return account.id;
  }
}

function settingsIn({ body }: FastifyRequest) {
  const { success, data } = settingsBody.safeParse(body);
  if (!success || Object.keys(data).length === 0)
    throw new HubError("access-invalid", {
      message:
        'The body is not valid access settings. It can have "access" ("public" or "restricted"), "publish_requires_tfa" and "automation_token_overrides_tfa" (booleans).',
    });
  const { access, publish_requires_tfa, automation_token_overrides_tfa } = data;
  return {
    // `npm access set status=private` means restricted access.
    access: access === "private" ? "restricted" : access,
    requiresSecondFactor: publish_requires_tfa,
    allowsBypass: automation_token_overrides_tfa,
  } as const;
}

function settingsResponse({ access, requiresSecondFactor, allowsBypass }: AccessSettings) {
  return {
    access,
    publish_requires_tfa: requiresSecondFactor,
    automation_token_overrides_tfa: allowsBypass,
  };
}

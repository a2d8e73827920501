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
import { accessOf, type AccessSettings, changeAccess } from "./change-access.ts";

const before = "/-/package/";

const settings = z.object({
  access: z.enum(["public", "restricted", "private"]).optional(),
  publish_requires_tfa: z.boolean().optional(),
  automation_token_overrides_tfa: z.boolean().optional(),
});

/** `npm access`: who may read and change a package, and which packages somebody may. */
export function accessRoutes(app: FastifyInstance, hub: Hub): void {
  packageRoute(app, {
    method: "GET",
    before,
    after: "/visibility",
    async handler(name, request) {
      const identity = await identify(hub, request);
      const { access } = await requirePackage(hub.database, { identity, name, permission: "read" });
      return { public: access === "public" };
    },
  });

  packageRoute(app, {
    method: "GET",
    before,
    after: "/access",
    async handler(name, request) {
      const identity = await identify(hub, request);
      const found = await requirePackage(hub.database, { identity, name, permission: "read" });
      return told(accessOf(found));
    },
  });

  packageRoute(app, {
    method: "POST",
    before,
    after: "/access",
    async handler(name, request) {
      const { result } = await changePackage(hub, request, {
        name,
        wanted: "admin",
        async work(change) {
          const given = settingsIn(request);
          await changeAccess(change, given);
          return { ...accessOf(change.found), ...given };
        },
      });
      return told(result);
    },
  });

  packageRoute(app, {
    method: "GET",
    before,
    after: "/collaborators",
    async handler(name, request) {
      const identity = await requireIdentity(hub, request);
      const found = await requirePackage(hub.database, { identity, name, permission: "write" });
      const held = await packageCollaborators(hub.database, found);
      const { format, user } = request.query as Readonly<Record<string, unknown>>;
      if (format !== "cli") return held;
      // pnpm asks so, and takes a list.
      return Object.entries(held)
        .filter(([holder]) => user === undefined || holder === user)
        .map(([user, permission]) => ({
          user,
          permissions: permission === "write" ? "read-write" : "read-only",
        }));
    },
  });

  app.get("/-/org/:organisation/package", async (request) => {
    const { organisation } = request.params as { readonly organisation: string };
    const identity = await identify(hub, request);
    const ownerId = await accountOf(organisation, "organisation");
    return await packagesOfOrganisation(hub.database, { ownerId, identity });
  });

  app.get("/-/user/:user/package", async (request) => {
    const { user } = request.params as { readonly user: string };
    const identity = await requireIdentity(hub, request);
    return await packagesOfUser(hub.database, { userId: await accountOf(user, "user"), identity });
  });

  // pnpm: those of whoever asks.
  app.get("/-/-/package", async (request) => {
    const identity = await requireIdentity(hub, request);
    return await packagesOfUser(hub.database, { userId: identity.userId, identity });
  });

  async function accountOf(name: string, kind: "user" | "organisation"): Promise<number> {
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

function settingsIn({ body }: FastifyRequest): Partial<AccessSettings> {
  const { success, data } = settings.safeParse(body);
  if (!success || Object.keys(data).length === 0)
    throw new HubError("access-invalid", {
      message:
        'The body may have "access" (public or restricted), "publish_requires_tfa" and "automation_token_overrides_tfa" (true or false).',
    });
  const { access, publish_requires_tfa, automation_token_overrides_tfa } = data;
  return {
    ...(access !== undefined && { access: access === "public" ? "public" : "restricted" }),
    ...(publish_requires_tfa !== undefined && { requiresSecondFactor: publish_requires_tfa }),
    ...(automation_token_overrides_tfa !== undefined && {
      allowsBypass: automation_token_overrides_tfa,
    }),
  };
}

function told({ access, requiresSecondFactor, allowsBypass }: AccessSettings) {
  return {
    access,
    publish_requires_tfa: requiresSecondFactor,
    automation_token_overrides_tfa: allowsBypass,
  };
}

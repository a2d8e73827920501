import type { FastifyInstance, FastifyRequest } from "fastify";
import * as z from "zod";

import { type Identity, requireIdentity, requireWriter } from "../../identity/request/identity.ts";
import { requireSecondFactorFor } from "../../identity/second-factor/second-factor.ts";
import type { Database } from "../../platform/database/connect.ts";
import { forbidden, HubError, notFound, unauthorized } from "../../platform/errors/hub-error.ts";
import { packageRoute } from "../../platform/http/package-route.ts";
import { type Change, change } from "../../platform/hub/change.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { isPackageName } from "../../platform/names/package-name.ts";
import { publishingRight } from "../permissions/publishing-right.ts";
import { findPackage } from "../permissions/require-package.ts";
import { type Configuration, configurations, type TrustedPublisher } from "./configuration.ts";
import { exchange } from "./exchange.ts";
import { addTrust, removeTrust, type Subject, trustedPublishers } from "./store.ts";

const path = { before: "/-/package/", after: "/trust" };

/** `npm trust`, and what npm's clients do with it in continuous integration. */
export function trustRoutes(app: FastifyInstance, hub: Hub): void {
  packageRoute(app, {
    ...path,
    method: "GET",
    async handler(name, request) {
      const identity = await requireIdentity(hub, request);
      await requireManager(hub.database, { identity, name });
      return (await trustedPublishers(hub.database, name)).map(told);
    },
  });

  packageRoute(app, {
    ...path,
    method: "POST",
    async handler(name, request, reply) {
      const added = await changed(name, request, (change, by) =>
        addTrust(change, by, configurationsIn(request)),
      );
      return await reply.code(201).send(added.map(told));
    },
  });

  packageRoute(app, {
    ...path,
    after: "/trust/:id",
    method: "DELETE",
    async handler(name, request, reply) {
      const { id } = request.params as { readonly id: string };
      await changed(name, request, async (change, by) => {
        if (!z.uuid().safeParse(id).success) throw notFound(`The trusted publisher of ${name}`);
        await removeTrust(change, by, id);
      });
      return await reply.code(204).send();
    },
  });

  packageRoute(app, {
    method: "POST",
    before: "/-/npm/v1/oidc/token/exchange/package/",
    async handler(name, request, reply) {
      const [, token] = /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? "") ?? [];
      if (token === undefined) throw unauthorized("Send the id token: Authorization: Bearer ….");
      // Builds alone ask for it.
      const { verifiedIdToken } = await import("./id-token.ts");
      const idToken = await verifiedIdToken(hub, token);
      return await reply.code(201).send({ token: await exchange(hub, name, idToken) });
    },
  });

  async function changed<Result>(
    name: string,
    request: FastifyRequest,
    work: (
      change: Change,
      by: { readonly subject: Subject; readonly actor: Identity },
    ) => Promise<Result>,
  ): Promise<Result> {
    const actor = await requireWriter(hub, request);
    const { existingPackage: found } = await requireManager(hub.database, {
      identity: actor,
      name,
    });
    await requireSecondFactorFor(hub, request, { identity: actor, found });
    return await change(hub, async (change) => {
      const { existingPackage, ownerId } = await requireManager(change.database, {
        identity: actor,
        name,
      });
      return await work(change, {
        subject: { name, packageId: existingPackage?.id, ownerId },
        actor,
      });
    });
  }
}

/** Whoever administers a package; of a name that is free, whoever may take it. */
async function requireManager(
  database: Database,
  { identity, name }: { readonly identity: Identity; readonly name: string },
) {
  if (!isPackageName(name)) throw notFound(name);
  const right = await publishingRight(database, { identity, name });
  if (right.existingPackage === undefined) return right;
  const lookup = await findPackage(database, { identity, name, permission: "admin" });
  if (lookup?.isAllowed) return right;
  throw forbidden(
    `${identity.name} may publish ${name}, and not say who else may. Ask an owner of its scope.`,
  );
}

function configurationsIn({ body }: FastifyRequest): readonly Configuration[] {
  const { data, error } = configurations.safeParse(body);
  if (data !== undefined) return data;
  throw new HubError("trust-invalid", {
    message: `The body is not a list of builds to trust. Send it with npm trust.\n${z.prettifyError(error)}`,
  });
}

function told({ id, type, claims, permissions }: TrustedPublisher) {
  return { id, type, claims, permissions };
}

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
import { type PublishingRight, publishingRight } from "../permissions/publishing-right.ts";
import { findPackage } from "../permissions/require-package.ts";
import { type Configuration, configurations, type TrustedPublisher } from "./configuration.ts";
import { exchangeIdToken } from "./exchange.ts";
import {
  addTrustedPublishers,
  listTrustedPublishers,
  removeTrustedPublisher,
  type TrustingPackage,
} from "./store.ts";

const path = { before: "/-/package/", after: "/trust" };

/** `npm trust`, and the exchange of id tokens by npm's clients in continuous integration. */
export function trustRoutes(app: FastifyInstance, hub: Hub): void {
  packageRoute(app, {
    ...path,
    method: "GET",
    async handler(name, request) {
      const identity = await requireIdentity(hub, request);
      await requireTrustRight(hub.database, identity, name);
      return (await listTrustedPublishers(hub.database, name)).map(publisherResponse);
    },
  });

  packageRoute(app, {
    ...path,
    method: "POST",
    async handler(name, request, reply) {
      const added = await changeTrust(name, request, (change, package_, actor) =>
        addTrustedPublishers(change, package_, actor, configurationsIn(request)),
      );
      return await reply.code(201).send(added.map(publisherResponse));
    },
  });

  packageRoute(app, {
    ...path,
    after: "/trust/:id",
    method: "DELETE",
    async handler(name, request, reply) {
      const { id } = request.params as { readonly id: string };
      await changeTrust(name, request, async (change, package_, actor) => {
        if (!z.uuid().safeParse(id).success)
          throw notFound(`The trusted publisher ${id.slice(0, 50)} of ${name}`);
        await removeTrustedPublisher(change, package_, actor, id);
      });
      return await reply.code(204).send();
    },
  });

  packageRoute(app, {
    method: "POST",
    before: "/-/npm/v1/oidc/token/exchange/package/",
    async handler(name, request, reply) {
      const [, token] = /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? "") ?? [];
      if (token === undefined)
        throw unauthorized(
          "The request has no id token. Send the header Authorization: Bearer <id token>.",
        );
      // Few hubs receive id tokens, so load their verifier when the first one arrives.
      const { verifyIdToken } = await import("./id-token.ts");
      const idToken = await verifyIdToken(hub, token);
      return await reply.code(201).send({ token: await exchangeIdToken(hub, name, idToken) });
    },
  });

  async function changeTrust<Result>(
    name: string,
    request: FastifyRequest,
    work: (change: Change, package_: TrustingPackage, actor: Identity) => Promise<Result>,
  ): Promise<Result> {
    const actor = await requireWriter(hub, request);
    const { existingPackage: unlocked } = await requireTrustRight(hub.database, actor, name);
    await requireSecondFactorFor(hub, request, actor, unlocked);
    return await change(hub, async (change) => {
      const { existingPackage, ownerId } = await requireTrustRight(change.database, actor, name);
      return await work(change, { name, packageId: existingPackage?.id, ownerId }, actor);
    });
  }
}

/** Requires `admin` on an existing package, or the right to publish a free name. */
async function requireTrustRight(
  database: Database,
  identity: Identity,
  name: string,
): Promise<PublishingRight> {
  if (!isPackageName(name)) throw notFound(name);
  const right = await publishingRight(database, { identity, name });
  if (right.existingPackage === undefined) return right;
  const lookup = await findPackage(database, { identity, name, permission: "admin" });
  if (lookup?.isAllowed) return right;
  throw forbidden(
    `${identity.name} may publish ${name}, but not change its trusted publishers. Ask an owner of the package's scope.`,
  );
}

function configurationsIn({ body }: FastifyRequest): readonly Configuration[] {
  const { data, error } = configurations.safeParse(body);
  if (data !== undefined) return data;
  throw new HubError("trust-invalid", {
    message: `The body is not a list of trusted publishers. Configure them with npm trust.\n${z.prettifyError(error)}`,
  });
}

function publisherResponse({ id, type, claims, permissions }: TrustedPublisher) {
  return { id, type, claims, permissions };
}

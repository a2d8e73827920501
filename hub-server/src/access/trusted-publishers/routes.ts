import type { FastifyInstance, FastifyRequest } from "fastify";
import * as z from "zod";

import { requireIdentity } from "../../identity/request/identity.ts";
import { HubError, notFound, unauthorized } from "../../platform/errors/hub-error.ts";
import { packageRoute } from "../../platform/http/package-route.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { type Configuration, configurations, type TrustedPublisher } from "./configuration.ts";
import { exchangeIdToken } from "./exchange.ts";
import {
  addTrustedPublishers,
  changeTrust,
  listTrustedPublishers,
  removeTrustedPublisher,
  requireTrustRight,
} from "./store.ts";

const path = "/-/package/:package/trust";

/** `npm trust`, and the exchange of id tokens by npm's clients in continuous integration. */
export function trustRoutes(app: FastifyInstance, hub: Hub): void {
  packageRoute(app, `GET ${path}`, async (name, request) => {
    const identity = await requireIdentity(hub, request);
    await requireTrustRight(hub.database, identity, name);
    return (await listTrustedPublishers(hub.database, name)).map(publisherResponse);
  });

  packageRoute(app, `POST ${path}`, async (name, request, reply) => {
    const added = await changeTrust(hub, request, name, (change) =>
      addTrustedPublishers(change, configurationsIn(request)),
    );
    return await reply.code(201).send(added.map(publisherResponse));
  });

  packageRoute(app, `DELETE ${path}/:id`, async (name, request, reply) => {
    const { id } = request.params as { readonly id: string };
    await changeTrust(hub, request, name, async (change) => {
      if (!z.uuid().safeParse(id).success)
        throw notFound(`The trusted publisher ${id.slice(0, 50)} of ${name}`);
      await removeTrustedPublisher(change, id);
    });
    return await reply.code(204).send();
  });

  packageRoute(
    app,
    "POST /-/npm/v1/oidc/token/exchange/package/:package",
    async (name, request, reply) => {
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

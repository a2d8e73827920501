import type { FastifyRequest } from "fastify";

import { type Identity, requirePublisher } from "../../identity/request/identity.ts";
import type { Hub } from "../../platform/hub/hub.ts";

interface PublisherHook {
  /** Rejects a client that may not publish before its body, which can be large, is read. */
  readonly onRequest: (request: FastifyRequest) => Promise<void>;
  /** The identity that `onRequest` identified. */
  readonly publisherOf: (request: FastifyRequest) => Identity;
}

/** Identifies the clients of a route that publishes or stages. */
export function publisherHook(hub: Hub): PublisherHook {
  const publishers = new WeakMap<FastifyRequest, Identity>();
  return {
    async onRequest(request) {
      publishers.set(request, await requirePublisher(hub, request));
    },
    publisherOf(request) {
      const publisher = publishers.get(request);
      if (publisher === undefined) throw new Error("The route lacks the publisher's onRequest.");
      return publisher;
    },
  };
}

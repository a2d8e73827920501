import helmet from "@fastify/helmet";
import type { FastifyInstance } from "fastify";

import type { Settings } from "../config/settings.ts";
import { originOf } from "./origin.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The hub's public origin. Set for requests of pages only. */
    publicOrigin: string;
  }
}

/** Forbids MIME sniffing of every response. */
export function disableSniffing(app: FastifyInstance): void {
  app.addHook("onRequest", async (_request, reply) => {
    void reply.header("x-content-type-options", "nosniff");
  });
}

/** Sets the headers of pages: scripts and styles only from the hub, none inline; no frames, no caching. */
export async function guardPages(app: FastifyInstance, settings: Settings): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        connectSrc: ["'self'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        baseUri: ["'none'"],
      },
    },
    frameguard: { action: "deny" },
    // With no-referrer, browsers would also omit the Origin header of forms.
    referrerPolicy: { policy: "same-origin" },
    strictTransportSecurity: false,
  });
  app.decorateRequest("publicOrigin", "");
  app.addHook("onRequest", async (request, reply) => {
    request.publicOrigin = originOf(settings, request);
    // Removes the token: only a session identifies the user of a page, and all other visitors receive the same cached copies.
    delete request.headers.authorization;
    void reply.header("cache-control", "no-store");
    if (request.publicOrigin.startsWith("https:"))
      void reply.header("strict-transport-security", "max-age=31536000");
  });
}

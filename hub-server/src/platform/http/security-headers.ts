import helmet from "@fastify/helmet";
import type { FastifyInstance } from "fastify";

import type { Settings } from "../config/settings.ts";
import { originOf } from "./origin.ts";

/** Forbids MIME sniffing of every response. */
export function disableSniffing(app: FastifyInstance): void {
  app.addHook("onRequest", async (_request, reply) => {
    void reply.header("x-content-type-options", "nosniff");
  });
}

/** Sets the headers of pages: no scripts, styles only from the hub, no frames, no caching. */
export async function guardPages(app: FastifyInstance, settings: Settings): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
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
  app.addHook("onRequest", async (request, reply) => {
    void reply.header("cache-control", "no-store");
    if (originOf(settings, request).startsWith("https:"))
      void reply.header("strict-transport-security", "max-age=31536000");
  });
}

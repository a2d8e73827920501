import helmet from "@fastify/helmet";
import type { FastifyInstance } from "fastify";

import type { Settings } from "../config/settings.ts";
import { originOf } from "./origin.ts";

/** What browsers are told of each answer: it is of the type that it says, whatever it looks like. */
export function tellTypes(app: FastifyInstance): void {
  app.addHook("onRequest", async (_request, reply) => {
    void reply.header("x-content-type-options", "nosniff");
  });
}

/** What browsers are told of pages: no script, no style but the hub's, no frame, no copy on a disk. */
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
    // Without any referrer, browsers hide the origin of a form, too.
    referrerPolicy: { policy: "same-origin" },
    strictTransportSecurity: false,
  });
  app.addHook("onRequest", async (request, reply) => {
    void reply.header("cache-control", "no-store");
    if (originOf(settings, request).startsWith("https:"))
      void reply.header("strict-transport-security", "max-age=31536000");
  });
}

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { FastifyInstance } from "fastify";

/** Beside the sources, where the compiled files find it, too. */
const text = readFileSync(join(import.meta.dirname, "../../src/pages/style.css"), "utf8");
const hash = createHash("sha256").update(text).digest("hex").slice(0, 16);

/** Another style has another address, so a browser may keep one for ever. */
export const stylePath = `/-/style/${hash}.css`;

/** Serves the style of the pages. */
export function styleRoute(app: FastifyInstance): void {
  app.get(stylePath, (_request, reply) =>
    reply
      .type("text/css; charset=utf-8")
      .header("cache-control", "public, max-age=31536000, immutable")
      .send(text),
  );
}

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { FastifyInstance } from "fastify";

/** Beside the sources, where the compiled files find them, too. */
const folder = join(import.meta.dirname, "../../src/pages");
const style = asset("style.css", "text/css; charset=utf-8");
const icon = asset("icon.svg", "image/svg+xml");

export const stylePath = style.path;
export const iconPath = icon.path;

/** Serves what the pages look like. */
export function styleRoutes(app: FastifyInstance): void {
  for (const { path, type, text } of [style, icon])
    app.get(path, (_request, reply) =>
      reply.type(type).header("cache-control", "public, max-age=31536000, immutable").send(text),
    );
}

/** Another content has another address, so a browser may keep one for ever. */
function asset(name: string, type: string) {
  const text = readFileSync(join(folder, name), "utf8");
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 16);
  return { path: `/-/style/${hash}-${name}`, type, text };
}

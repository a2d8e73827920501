import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { FastifyInstance } from "fastify";

/** The assets are in `src`; compiled modules in `dist` read them there, too. */
const folder = join(import.meta.dirname, "../../src/pages");
const style = asset("style.css", "text/css; charset=utf-8");
const icon = asset("icon.svg", "image/svg+xml");

export const stylePath = style.path;
export const iconPath = icon.path;

/** Serves the stylesheet and the icon of the pages. */
export function assetRoutes(app: FastifyInstance): void {
  for (const { path, type, text } of [style, icon])
    app.get(path, (_request, reply) =>
      reply.type(type).header("cache-control", "public, max-age=31536000, immutable").send(text),
    );
}

/** Reads an asset. Its path contains a hash of its content, so browsers may cache it forever. */
function asset(name: string, type: string) {
  const text = readFileSync(join(folder, name), "utf8");
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 16);
  return { path: `/-/style/${hash}-${name}`, type, text };
}

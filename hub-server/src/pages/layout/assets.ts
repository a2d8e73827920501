import { createHash } from "node:crypto";

import { readAsset, readAssets } from "@envs/web";
import type { FastifyInstance } from "fastify";

import {
  type Encoding,
  negotiate,
  representBytes,
} from "../../registry/responses/representation.ts";

const prefix = "/-/assets";

const assets = readAssets();

export const stylePath: string = assetPath(assets.style);
/** The icon has a fixed name, so its URL contains a hash of its content. */
export const iconPath: string = `${assetPath("icon.svg")}?${hashOf("icon.svg")}`;

/** The URL path of a built file. */
export function assetPath(file: string): string {
  return `${prefix}/${file}`;
}

/** The scripts that start the islands of a page, and the chunks that these scripts import. */
export function scriptsOf(islands: ReadonlySet<string>): {
  readonly starts: readonly string[];
  readonly preloads: readonly string[];
} {
  const lists = [...islands].map((island) => assets.script(island));
  const starts = lists.flatMap((files) => files.slice(-1));
  const preloads = new Set(lists.flatMap((files) => files.slice(0, -1)));
  return { starts, preloads: [...preloads].filter((file) => !starts.includes(file)) };
}

/** Serves the stylesheet, the scripts and the icon. Browsers cache them forever, because URLs change with contents. */
export function assetRoutes(app: FastifyInstance): void {
  for (const file of assets.files) {
    const { type, bytes } = readAsset(file);
    const compressed = new Map<Encoding, ReturnType<typeof representBytes>>();
    app.get(assetPath(file), async (request, reply) => {
      const { encoding } = negotiate(request.headers);
      const pending =
        compressed.get(encoding) ??
        representBytes({ bytes, type, encoding, vary: "Accept-Encoding" });
      compressed.set(encoding, pending);
      const { body, headers } = await pending;
      return reply
        .headers({ ...headers, "cache-control": "public, max-age=31536000, immutable" })
        .send(body);
    });
  }
}

function hashOf(file: string): string {
  return createHash("sha256").update(readAsset(file).bytes).digest("hex").slice(0, 8);
}

import { readFileSync } from "node:fs";
import { extname, join } from "node:path";

import { assetsFolder, readAssets } from "@envs/web";

/** A file that the page loads. */
export interface Asset {
  readonly type: string;
  readonly bytes: Buffer;
}

/** The folder or URL path of the page's files. Their names change with their contents. */
export const assetPrefix = "/web/assets";

const types: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** The page's stylesheet, scripts and icon, by name. */
export function webAssets(): ReadonlyMap<string, Asset> {
  const assets = readAssets();
  const needed = new Set([...assets.script("player"), assets.style, "icon.svg"]);
  return new Map(
    assets.files
      .filter((file) => needed.has(file))
      .map((file) => [
        file,
        {
          type: types[extname(file)] ?? "application/octet-stream",
          bytes: readFileSync(join(assetsFolder, file)),
        },
      ]),
  );
}

/** The path of the stylesheet. */
export function stylePath(): string {
  return `${assetPrefix}/${readAssets().style}`;
}

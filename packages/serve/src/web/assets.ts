import { type Asset, readAsset, readAssets } from "@envs/web";

/** The folder or URL path of the page's files. Their names change with their contents. */
export const assetPrefix = "/web/assets";

/** The page's stylesheet, scripts and icon, by name. */
export function webAssets(): ReadonlyMap<string, Asset> {
  const assets = readAssets();
  const needed = new Set([...assets.script("player"), assets.style, "icon.svg"]);
  return new Map(
    assets.files.filter((file) => needed.has(file)).map((file) => [file, readAsset(file)]),
  );
}

/** The path of the stylesheet. */
export function stylePath(): string {
  return `${assetPrefix}/${readAssets().style}`;
}

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** The built application: one script and one stylesheet. */
export interface ViewerAssets {
  readonly script: Asset;
  readonly style: Asset;
}

export interface Asset {
  /** Contains a hash of the content, so that browsers may keep the file. */
  readonly name: string;
  readonly type: string;
  readonly text: string;
}

/** Vite builds the application into the package, where the sources find it too. */
const folder = join(import.meta.dirname, "../../dist/assets");

let assets: Promise<ViewerAssets> | undefined;

/** Reads the built application. Throws if the package was not built. */
export function viewerAssets(): Promise<ViewerAssets> {
  assets ??= readAssets();
  return assets;
}

async function readAssets(): Promise<ViewerAssets> {
  if (import.meta.filename.endsWith(".ts")) buildInClone();
  const [script, style] = await Promise.all([
    readFile(join(folder, "viewer.js"), "utf8"),
    readFile(join(folder, "viewer.css"), "utf8"),
  ]);
  return {
    script: asset("viewer", "js", "text/javascript", script),
    style: asset("viewer", "css", "text/css", style),
  };
}

/** Builds the application unless that has been done from the present sources. */
function buildInClone(): void {
  const program = join(import.meta.dirname, "../../../../tooling/src/first-use.ts");
  spawnSync(process.execPath, [program, "packages/viewer"], { stdio: ["ignore", 2, 2] });
}

function asset(name: string, extension: string, type: string, text: string): Asset {
  const hash = createHash("sha256").update(text).digest("base64url").slice(0, 10);
  return { name: `${name}-${hash}.${extension}`, type: `${type}; charset=utf-8`, text };
}

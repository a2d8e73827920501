import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { extname, join } from "node:path";

/** The folder of the built files. `src` and `dist` have the same depth, so both find it. */
export const assetsFolder: string = join(import.meta.dirname, "../../dist/browser");

const types: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** A file that a page loads. */
export interface Asset {
  readonly type: string;
  readonly bytes: Buffer;
}

/** Reads one of {@link Assets.files}. */
export function readAsset(file: string): Asset {
  const type = types[extname(file)] ?? "application/octet-stream";
  return { type, bytes: readFileSync(join(assetsFolder, file)) };
}

/** A built file. `imports` and `css` name entries and files that load with it. */
interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
}

/** The built files that a page loads. Names are relative to `assetsFolder`. */
export interface Assets {
  readonly style: string;
  /** All files that the server delivers. */
  readonly files: readonly string[];
  /** The files of an island, in the order to preload them. The last one is the script to start. */
  script(island: string): readonly string[];
}

/** Reads which files `vite build` has written. */
export function readAssets(): Assets {
  if (import.meta.filename.endsWith(".ts")) buildInClone();
  const manifest = readManifest();
  const chunk = (name: string): Chunk => {
    const found = manifest[name];
    if (found === undefined)
      throw new Error(`@envs/web was built without ${name}. Run \`pnpm build\`.`);
    return found;
  };
  const filesOf = (name: string): readonly string[] => {
    const { file, imports = [] } = chunk(name);
    return [...new Set([...imports.flatMap(filesOf), file])];
  };
  return {
    style: chunk("src/style/main.css").file,
    files: [
      ...new Set(Object.values(manifest).flatMap(({ file, css = [] }) => css.concat(file))),
      "icon.svg",
    ],
    script: (island) => filesOf(`src/${island}/browser.ts`),
  };
}

let isBuilt = false;

/** Builds the files unless that has been done from the present sources. */
function buildInClone(): void {
  if (isBuilt) return;
  isBuilt = true;
  const program = join(import.meta.dirname, "../../../../tooling/src/first-use.ts");
  spawnSync(process.execPath, [program, "packages/web"], { stdio: ["ignore", 2, 2] });
}

function readManifest(): Readonly<Record<string, Chunk>> {
  const path = join(assetsFolder, "manifest.json");
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Record<string, Chunk>;
  } catch (error) {
    throw new Error(`Cannot read the assets of @envs/web at ${path}. Run \`pnpm build\`.`, {
      cause: error,
    });
  }
}

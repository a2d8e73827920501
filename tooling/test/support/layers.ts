import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/**
 * The code spans of the paragraph "Layers" in the root's AGENTS.md: names of folders in `packages`, `hub-server`, and
 * `environments` for all of them. A package imports only packages of earlier layers.
 */
export function listedLayers(root: string): readonly (readonly string[])[] {
  const text = readFileSync(join(root, "AGENTS.md"), "utf8");
  const [paragraph = ""] = /^Layers\b.*?\n\n/msu.exec(text) ?? [];
  return [...paragraph.matchAll(/`([^`]+)`/gu)].map(([, names = ""]) => names.split(/\s+/u));
}

/**
 * The packages that each package depends on or imports, by its name in the layers. An optional peer counts only if the source
 * imports it. Commands do not count: they import the kit of the command line, which loads them.
 */
export function importedPackages(root: string): ReadonlyMap<string, ReadonlySet<string>> {
  const imports = new Map<string, Set<string>>();
  for (const folder of globSync("{packages/*,environments/*,hub-server}", { cwd: root })) {
    const path = join(root, folder);
    if (!existsSync(join(path, "package.json"))) continue;
    const layers = imports.get(layerName(folder)) ?? new Set();
    for (const name of [...dependencies(path), ...sourceImports(path)]) {
      const needed = folderOf(root, name);
      if (needed !== undefined && needed !== folder) layers.add(layerName(needed));
    }
    imports.set(layerName(folder), layers);
  }
  return imports;
}

function layerName(folder: string): string {
  return dirname(folder) === "environments" ? "environments" : basename(folder);
}

/** The folder of a package; `undefined` for one that exists only in texts. */
function folderOf(root: string, name: string): string | undefined {
  return [`packages/${name}`, `environments/${name}`, name].find((folder) =>
    existsSync(join(root, folder, "package.json")),
  );
}

function dependencies(path: string): readonly string[] {
  const manifest = JSON.parse(readFileSync(join(path, "package.json"), "utf8")) as {
    readonly dependencies?: object;
    readonly optionalDependencies?: object;
  };
  return Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })
    .filter((name) => name.startsWith("@envs/"))
    .map((name) => name.slice("@envs/".length));
}

function sourceImports(path: string): readonly string[] {
  const files = globSync("src/**/*.{ts,tsx}", { cwd: path });
  return files
    .filter((file) => !/^src\/commands\b/.test(file))
    .flatMap((file) =>
      [
        ...readFileSync(join(path, file), "utf8").matchAll(
          /^(?:import|export|\} from)\b[^;]*?"@envs\/(?<name>[\w-]+)|import\("@envs\/(?<lazy>[\w-]+)/gmu,
        ),
      ].map(({ groups }) => groups?.["name"] ?? groups?.["lazy"] ?? ""),
    );
}

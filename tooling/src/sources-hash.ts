import { createHash } from "node:crypto";
import { globSync, readFileSync, realpathSync } from "node:fs";
import { join, relative } from "node:path";

/** SHA-256 over the sources of a package and of the workspace's packages that it depends on, and over the lockfile. */
export function sourcesHash(root: string, folder: string): string {
  const hash = createHash("sha256").update(readFileSync(join(root, "pnpm-lock.yaml")));
  for (const path of withDependencies(folder).toSorted())
    for (const file of globSync(["package.json", "vite.config.ts", "{public,src}/**/*.*"], {
      cwd: path,
    }).toSorted())
      hash.update(`${relative(root, path)}/${file}\n`).update(readFileSync(join(path, file)));
  return hash.digest("hex");
}

function withDependencies(folder: string, known = new Set<string>()): readonly string[] {
  const path = realpathSync(folder);
  if (known.has(path)) return [];
  known.add(path);
  const { dependencies, devDependencies } = JSON.parse(
    readFileSync(join(path, "package.json"), "utf8"),
  ) as {
    readonly dependencies?: Readonly<Record<string, string>>;
    readonly devDependencies?: Readonly<Record<string, string>>;
  };
  const ranges = { ...dependencies, ...devDependencies };
  const names = Object.keys(ranges).filter((name) => ranges[name]?.startsWith("workspace:"));
  return [
    path,
    ...names.flatMap((name) => withDependencies(join(path, "node_modules", name), known)),
  ];
}

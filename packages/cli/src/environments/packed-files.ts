import { type PackageJson, readPackageJson } from "@envs/hub-cli/package-json";
import packlist from "npm-packlist";

/** What a package's tarball would hold, by npm's rules: `files`, `.npmignore`, `.gitignore`, and what is always in. */
export async function packedFiles(root: string): Promise<readonly string[]> {
  const packageJson = await readPackageJson(root);
  return packlist({
    path: root,
    isProjectRoot: true,
    edgesOut: new Map(),
    package: { ...packageJson, bin: normalBin(packageJson), bundleDependencies: [] },
  });
}

/** As npm normalises it before it packs: `./bin/x.js` is not found by the rules, `bin/x.js` is. */
function normalBin({ bin = {} }: PackageJson): Readonly<Record<string, string>> {
  const entries = typeof bin === "string" ? [["", bin] as const] : Object.entries(bin);
  return Object.fromEntries(entries.map(([name, file]) => [name, file.replace(/^\.\//, "")]));
}

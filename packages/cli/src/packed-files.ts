import packlist from "npm-packlist";

import { readPackageJson } from "./package-json.ts";

/** What a package's tarball would hold, by npm's rules: `files`, `.npmignore`, `.gitignore`, and what is always in. */
export async function packedFiles(root: string): Promise<readonly string[]> {
  const packageJson = await readPackageJson(root);
  const { bin } = packageJson;
  return packlist({
    path: root,
    isProjectRoot: true,
    edgesOut: new Map(),
    package: {
      ...packageJson,
      bin: typeof bin === "string" ? { bin } : bin,
      bundleDependencies: [],
    },
  });
}

import { join } from "node:path";

import { above } from "../config/context.ts";
import { readPackageJson } from "../package-json.ts";

/** The version of a package that a project has; `undefined` where it is not in a folder, as with Yarn's archives. */
export async function installedVersion(folder: string, name: string): Promise<string | undefined> {
  const path = join("node_modules", name);
  const root = above(folder, join(path, "package.json"));
  return root === undefined ? undefined : (await readPackageJson(join(root, path))).version;
}

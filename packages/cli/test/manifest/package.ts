import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { temporaryFolder } from "../command.ts";

const packages = join(import.meta.dirname, "../../..");

export interface Package {
  /** Overrides the default fields; `undefined` removes one. */
  readonly packageJson?: Readonly<Record<string, unknown>>;
  readonly files?: Readonly<Record<string, string>>;
}

/** The source of an environment's module. `definition` has further fields besides name, dataset and rubric. */
export function moduleOf(definition = ""): string {
  return `import { defineEnvironment, end } from "@envs/core";
import * as z from "zod";

export default defineEnvironment({
  name: "guess",
  dataset: () => [{ prompt: "Guess." }],
  rubric: { right: () => 1 },
  ${definition}
});
`;
}

/** Writes the package of an environment, compiled and installed, to a folder that is removed after the test. */
export async function environmentPackage(
  definition?: string,
  { packageJson = {}, files = {} }: Package = {},
): Promise<string> {
  const root = await temporaryFolder();
  const all: Readonly<Record<string, string>> = {
    "package.json": JSON.stringify({
      name: "@you/guess",
      version: "1.2.3",
      type: "module",
      files: ["dist", "envs.manifest.json"],
      exports: { ".": "./dist/index.js", "./package.json": "./package.json" },
      ...packageJson,
    }),
    "dist/index.js": moduleOf(definition),
    ...files,
  };
  for (const [path, text] of Object.entries(all)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  await mkdir(join(root, "node_modules/@envs"), { recursive: true });
  for (const name of ["core", "models"])
    await symlink(join(packages, name), join(root, "node_modules/@envs", name));
  await symlink(join(packages, "core/node_modules/zod"), join(root, "node_modules/zod"));
  return root;
}

import { cp, realpath, utimes } from "node:fs/promises";
import { join } from "node:path";

import { expect, test } from "vitest";

import { loadEnvironment } from "../../src/environments/load-environment.ts";
import { temporaryFolder } from "../command.ts";
import { environmentPackage } from "../manifest/package.ts";

/** A package whose sources are newer than its build. */
async function touchedPackage(): Promise<string> {
  const root = await realpath(await environmentPackage("", { files: { "src/index.ts": "" } }));
  await utimes(join(root, "dist/index.js"), 1, 1);
  return root;
}

test("a package with sources newer than its build is stale", async () => {
  expect((await loadEnvironment(await touchedPackage())).isStale).toBe(true);
});

test("an installed package is not stale, whatever the times of its files", async () => {
  const installed = join(await temporaryFolder(), "node_modules/@you/guess");
  await cp(await touchedPackage(), installed, {
    recursive: true,
    preserveTimestamps: true,
    verbatimSymlinks: true,
  });
  expect((await loadEnvironment(installed)).isStale).toBe(false);
});

import { expect, test } from "vitest";

import { importIfInstalled, importPackage } from "../../src/packages/import-package.ts";
import { packageCommands } from "../../src/packages/package-commands.ts";

test("names the command that installs a missing package", async () => {
  await expect(importPackage("none/commands", "envs none")).rejects.toThrow(
    "envs none needs the package @envs/none, which is not installed. Install it: pnpm add -D @envs/none",
  );
});

test("returns undefined for a missing package that is optional", async () => {
  expect(await importIfInstalled("none/commands")).toBeUndefined();
});

test.each(Object.entries(packageCommands))("finds the command %s in its package", async (name) => {
  const command = await packageCommands[name]!.load();
  expect(await (typeof command.meta === "function" ? command.meta() : command.meta)).toMatchObject({
    name,
  });
});

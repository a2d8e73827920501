import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, test } from "vitest";

import { globalInstallCommand } from "../../src/packages/global-install.ts";
import { importIfInstalled, importPackage } from "../../src/packages/import-package.ts";
import { packageCommands } from "../../src/packages/package-commands.ts";
import { envs, temporaryFolder } from "../command.ts";

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

test("names the command line that a project with a package of commands lacks", async () => {
  const project = await temporaryFolder();
  const trainer = join(project, "node_modules/@envs/trainer");
  await mkdir(trainer, { recursive: true });
  await writeFile(join(project, "package-lock.json"), "{}");
  const exports = { "./commands": "./commands.js", "./package.json": "./package.json" };
  const manifest = { name: "@envs/trainer", type: "module", exports };
  await writeFile(join(trainer, "package.json"), JSON.stringify(manifest));
  const commands = `export const commands = { train: () => import("@envs/cli/kit") };\n`;
  await writeFile(join(trainer, "commands.js"), commands);
  const { code, stderr } = await envs(["train", "tictactoe"], "", {}, project);
  expect(stderr).toContain(
    "The commands of @envs/trainer need the package @envs/cli in the same project. Install it: npm i -D @envs/cli",
  );
  expect(code).toBe(2);
});

test.each([
  ["/usr/lib/node_modules/@envs/cli/bin/envs.js", "npm i -g @envs/trainer"],
  ["/root/.local/share/pnpm/global/5/node_modules/@envs/cli/bin/envs.js", "pnpm add -g"],
  ["/root/.config/yarn/global/node_modules/@envs/cli/bin/envs.js", "yarn global add"],
  ["C:\\Users\\a\\AppData\\Local\\Yarn\\Data\\global\\node_modules\\@envs\\cli", "yarn global add"],
  ["/root/.bun/install/global/node_modules/@envs/cli/bin/envs.js", "bun add -g @envs/trainer"],
])("installs beside the global command line %s by %s", async (file, words) => {
  const command = await globalInstallCommand("@envs/trainer", ["/usr/bin/envs", file]);
  expect(command.join(" ")).toMatch(words);
});

test("adds a package to the group of a global command line of pnpm 11", async () => {
  const group = join(await temporaryFolder(), "global/v11/6268-18ebb4f8");
  const program = join(group, "node_modules/@envs/cli/bin/envs.js");
  await mkdir(join(program, ".."), { recursive: true });
  const dependencies = { "@envs/cli": "0.1.0", "@envs/hub-cli": "0.1.0" };
  await writeFile(join(group, "package.json"), JSON.stringify({ dependencies }));
  const command = await globalInstallCommand("@envs/trainer", [program, "/store/links/cli.js"]);
  expect(command.join(" ")).toBe("pnpm add -g @envs/cli,@envs/hub-cli,@envs/trainer");
});

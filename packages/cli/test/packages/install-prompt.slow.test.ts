import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { text } from "node:stream/consumers";

import { expect, test } from "vitest";

import { temporaryFolder } from "../command.ts";

const packages = join(import.meta.dirname, "../../..");
const program = "node_modules/@envs/cli/src/bin.ts";
const [enter, down] = ["\r", "\u001b[B"];

/** Stands for a package manager: notes its arguments, and installs the trainer of this workspace. */
const manager = `#!/bin/sh
echo "$(basename "$0") $*" >> installed
ln -s ${join(packages, "trainer")} node_modules/@envs/trainer
`;

/** A project with the command line alone, whose lockfile is of one package manager. */
async function createProject(lockfile: string) {
  const folder = await temporaryFolder();
  const scope = join(folder, "node_modules/@envs");
  await mkdir(scope, { recursive: true });
  // A copy outside the workspace, because every package of the workspace finds the trainer. Node runs no types in node_modules.
  const copy = await temporaryFolder();
  for (const part of ["src", "package.json"])
    await cp(join(packages, "cli", part), join(copy, part), { recursive: true });
  await symlink(join(packages, "cli/node_modules"), join(copy, "node_modules"));
  await symlink(copy, join(scope, "cli"));
  await writeFile(join(folder, "package.json"), "{}");
  await writeFile(join(folder, lockfile), "");
  for (const name of ["npm", "pnpm", "yarn", "bun"]) {
    await writeFile(join(folder, name), manager);
    await chmod(join(folder, name), 0o755);
  }
  const env = {
    PATH: [folder, dirname(process.execPath), process.env["PATH"]].join(delimiter),
    HOME: folder,
    NO_COLOR: "1",
    TERM: "xterm",
  };
  return { folder, env };
}

/** Runs `envs train --help` in a pseudo terminal, whose width is 0 by default, and answers the prompt with these keys. */
async function trainAtTerminal(keys: string) {
  const { folder, env } = await createProject("package-lock.json");
  const line = `stty cols 120 && '${process.execPath}' ${program} train --help`;
  const child = spawn("script", ["-qec", line, "/dev/null"], { cwd: folder, env });
  let screen = "";
  child.stdout.on("data", (chunk) => {
    if (!screen.includes("yes (npm") && (screen + String(chunk)).includes("yes (npm"))
      child.stdin.write(keys);
    screen += String(chunk);
  });
  const [code] = (await once(child, "close")) as [number];
  const installed = await readFile(join(folder, "installed"), "utf8").catch(() => undefined);
  return { screen, code, installed };
}

test.skipIf(process.platform !== "linux")(
  "installs a missing package and continues when the user agrees",
  async () => {
    const { screen, code, installed } = await trainAtTerminal(enter);
    expect(screen).toContain("envs train needs the package @envs/trainer, which is not installed.");
    expect(screen).toContain("npm i -D @envs/trainer");
    expect(installed).toBe("npm i -D @envs/trainer\n");
    expect(screen).toContain("Train a tiny model");
    expect(code).toBe(0);
  },
);

test.skipIf(process.platform !== "linux")(
  "installs nothing and names the command when the user declines",
  async () => {
    const { screen, code, installed } = await trainAtTerminal(down + enter);
    expect(screen).toContain("Install it: npm i -D @envs/trainer");
    expect(installed).toBeUndefined();
    expect(code).toBe(2);
  },
);

test.each([
  ["package-lock.json", "npm i -D @envs/trainer"],
  ["pnpm-lock.yaml", "pnpm add -D @envs/trainer"],
  ["yarn.lock", "yarn add -D @envs/trainer"],
  ["bun.lock", "bun add -D @envs/trainer"],
])("names the package manager of a project with %s, without a terminal", async (lock, command) => {
  const { folder, env } = await createProject(lock);
  const child = spawn(process.execPath, [program, "train"], { cwd: folder, env });
  child.stdin.end();
  const [stderr] = await Promise.all([text(child.stderr), once(child, "close")]);
  expect(stderr).toContain(`which is not installed. Install it: ${command}\n`);
  expect(child.exitCode).toBe(2);
});

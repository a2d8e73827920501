import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";

import { FailureError, UsageError } from "../terminal/errors.ts";
import { ownScope } from "../terminal/own-scope.ts";
import { findModule } from "./find-package.ts";
import { installCommand, offerInstallation } from "./install-package.ts";

/**
 * Imports a module of one of our packages, such as `trainer/commands`. If the package is missing, offers to install it in a
 * terminal, and else throws a `UsageError` with the command that installs it. `user` names what needs the package.
 */
export async function importPackage<Module>(path: string, user: string): Promise<Module> {
  return (await importIfInstalled<Module>(path)) ?? (await installAndRestart(path, user));
}

/** Like {@link importPackage}, but returns `undefined` if the package is not installed. */
export async function importIfInstalled<Module>(path: string): Promise<Module | undefined> {
  const url = findModule(`${ownScope}/${path}`);
  return url === undefined ? undefined : ((await import(url)) as Module);
}

async function installAndRestart(path: string, user: string): Promise<never> {
  const name = `${ownScope}/${path.split("/", 1)[0]}`;
  const command = await installCommand(name);
  const reason = `${user} needs the package ${name}, which is not installed.`;
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new UsageError(`${reason} Install it: ${command.join(" ")}`);
  await offerInstallation(reason, command);
  // pnpm 11 replaces the folder of a global command line when it adds a package to it.
  if (!existsSync(process.argv[1] ?? ""))
    throw new FailureError(`${name} is installed. Run the command again.`);
  return await restart();
}

/** Runs this command line in another process: Node caches in this one that the package is missing. */
async function restart(): Promise<never> {
  const args = [...process.execArgv, ...process.argv.slice(1)];
  const [code] = await once(spawn(process.execPath, args, { stdio: "inherit" }), "exit");
  process.exit((code as number | null) ?? 1);
}

import { spawn } from "node:child_process";
import { once } from "node:events";

import { detect, getUserAgent, resolveCommand } from "package-manager-detector";

import { ownRegistry } from "../init/own-registry.ts";
import { FailureError, UsageError } from "../terminal/errors.ts";
import { ownScope } from "../terminal/own-scope.ts";
import { askChoice } from "../terminal/prompts.ts";
import { checkRegistry } from "./check-registry.ts";
import { isInProject } from "./find-package.ts";
import { globalInstallCommand, type InstallCommand } from "./global-install.ts";

/**
 * The command that installs a package where this command line finds it, with the user's package manager: in the project, or beside
 * a global command line. A command line that `npx` or the like has downloaded only finds the packages of the project.
 */
export async function installCommand(name: string): Promise<InstallCommand> {
  if (getUserAgent() === null && !isInProject(`${ownScope}/cli/package.json`))
    return await globalInstallCommand(name, [process.argv[1] ?? "", import.meta.filename]);
  return await projectInstallCommand(name);
}

/** The command that adds a package to the project, with the package manager that it uses. */
export async function projectInstallCommand(name: string): Promise<InstallCommand> {
  const agent = (await detect())?.agent ?? getUserAgent() ?? "npm";
  const { command, args } = resolveCommand(agent, "add", ["-D", name])!;
  return [command, ...args];
}

/** Asks in a terminal whether to run an install command, and runs it. Throws a `UsageError` if the user declines. */
export async function offerInstallation(
  reason: string,
  [program, ...args]: InstallCommand,
): Promise<void> {
  const command = [program, ...args].join(" ");
  const declined = (): UsageError => new UsageError(`${reason} Install it: ${command}`);
  const choice = await askChoice({
    message: `${reason} Install it now?`,
    choices: { yes: command, no: "Do not change anything" },
    onCancel: declined,
    output: process.stderr,
  });
  if (choice === "no") throw declined();
  const registry = await ownRegistry(process.cwd(), process.env["npm_config_registry"]);
  if (registry !== undefined) await checkRegistry(registry);
  // npm is a script on Windows, which only a shell starts.
  const shell = process.platform === "win32";
  const [code] = (await once(
    spawn(program, args, { stdio: ["inherit", 2, 2], shell }),
    "exit",
  )) as [number | null];
  if (code !== 0) throw new FailureError(`${command} failed; see its output above.`);
}

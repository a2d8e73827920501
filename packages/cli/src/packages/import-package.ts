import { UsageError } from "../terminal/errors.ts";
import { ownScope } from "../terminal/own-scope.ts";
import { findModule } from "./find-package.ts";
import { installCommand, offerInstallation } from "./install-package.ts";

/**
 * Imports a module of one of our packages, such as `trainer/commands`. If the package is missing, offers to install it in a
 * terminal, and else throws a `UsageError` with the command that installs it. `user` names what needs the package.
 */
export async function importPackage<Module>(path: string, user: string): Promise<Module> {
  return (await importIfInstalled<Module>(path)) ?? (await installAndImport(path, user));
}

/** Like {@link importPackage}, but returns `undefined` if the package is not installed. */
export async function importIfInstalled<Module>(path: string): Promise<Module | undefined> {
  const url = findModule(`${ownScope}/${path}`);
  return url === undefined ? undefined : ((await import(url)) as Module);
}

async function installAndImport<Module>(path: string, user: string): Promise<Module> {
  const name = `${ownScope}/${path.split("/", 1)[0]}`;
  const command = await installCommand(name);
  const reason = `${user} needs the package ${name}, which is not installed.`;
  if (process.stdin.isTTY && process.stderr.isTTY) {
    await offerInstallation(reason, command);
    const module = await importIfInstalled<Module>(path);
    if (module !== undefined) return module;
  }
  throw new UsageError(`${reason} Install it: ${command.join(" ")}`);
}

import type { EnvsCommand, LazyCommand } from "../terminal/command.ts";
import { UsageError } from "../terminal/errors.ts";
import { ownScope } from "../terminal/own-scope.ts";
import type { CommandPackage } from "./command-package.ts";
import { isInstalled } from "./find-package.ts";
import { importPackage } from "./import-package.ts";
import { projectInstallCommand } from "./install-package.ts";

/** A command that another package brings. */
export interface PackageCommand extends LazyCommand {
  /** The last part of the package's name. */
  readonly package: string;
}

/** The commands that other packages bring, by the words after `envs`. They are listed here, so that help loads no package. */
export const packageCommands: Readonly<Record<string, PackageCommand>> = Object.fromEntries(
  (
    [
      ["search", "hub-cli", "Find environments"],
      ["install", "hub-cli", "Add environments to this project with its package manager"],
      ["build", "hub-cli", "Write the manifest of an environment's package"],
      ["publish", "hub-cli", "Publish the package in a folder"],
      ["run push", "hub-cli", "Push a run with its rollouts"],
      ["run reproduce", "hub-cli", "Repeat an evaluation of a hub and push the result"],
      ["suite init", "hub-cli", "Lock environments, configs and seeds as a package"],
      ["suite run", "hub-cli", "Run all evaluations of a suite with one model"],
      ["suite publish", "hub-cli", "Check and publish a suite"],
      ["hub yank", "hub-cli", "Hide a version from new installs"],
      ["hub archive", "hub-cli", "Make a package read-only"],
      ["hub advisory", "hub-cli", "Warn users of some versions of a package"],
      ["hub login", "hub-cli", "Log in"],
      ["hub logout", "hub-cli", "Log out"],
      ["hub whoami", "hub-cli", "Show the logged-in user"],
      ["hub star", "hub-cli", "Star a package"],
      ["hub token", "hub-cli", "List, create and revoke tokens"],
      ["hub org", "hub-cli", "Manage organisations and their members"],
      ["hub doctor", "hub-cli", "Check the configuration of each package manager for the hub"],
      ["hub server", "hub-cli", "Run, back up and restore your own hub"],
      ["train", "trainer", "Train a tiny model, or an adapter of a real one"],
      ["train adapter", "trainer", "Download a trained LoRA adapter as a package"],
      ["train rollouts", "trainer", "Play episodes for a trainer that observes model calls"],
      ["synth", "trainer", "Create training data: play, filter, write chat JSONL"],
      ["export", "trainer", "Write a trainer's configuration, datasets or training data"],
      ["serve", "serve", "Serve environments to trainers: OpenEnv, ORS, NeMo Gym"],
      ["serve mcp", "serve", "Serve an environment to an MCP client: start, act, score"],
      ["serve model", "serve", "Serve a model as an OpenAI-compatible endpoint"],
      ["queue status", "queue", "Show the workers of a queue and its open runs"],
      ["queue worker", "queue", "Play rollouts of a queue, on any number of machines"],
      ["queue serve", "queue", "Serve a queue to workers over HTTP"],
      ["queue token", "queue", "Create the token of a host for queue serve"],
      ["queue cancel", "queue", "Close a run of a queue"],
      ["audit", "audit", "Find rewards that can be cheated, leaks and other faults"],
      ["optimize", "optimize", "Improve prompts by reflection"],
      ["sandbox maths", "scores", "Download Math-Verify, which compares answers"],
      ["sandbox install", "sandbox", "Download packages for Python in sandboxes"],
      ["machine doctor", "machine", "Check the container engine of machines, and remove leftovers"],
      ["sandbox doctor", "sandbox", "Check which sandboxes work on this machine"],
    ] as const
  ).map(([words, name, summary]) => [
    words,
    { package: name, summary, load: () => load(words, name) },
  ]),
);

/** The packages that bring commands, by the last part of their names. */
export const commandPackages: readonly string[] = [
  ...new Set(Object.values(packageCommands).map((command) => command.package)),
];

/** The end of a command's line in the help, if its package is missing. */
export function missingMark(command: LazyCommand): string {
  if (!("package" in command) || isInstalled(String(command.package))) return "";
  return ` (needs ${ownScope}/${String(command.package)})`;
}

async function load(words: string, name: string): Promise<EnvsCommand> {
  const { commands } = await importPackage<CommandPackage>(`${name}/commands`, `envs ${words}`);
  const loader = commands?.[words];
  if (loader !== undefined) return (await withKit(loader, name)).command as EnvsCommand;
  throw new UsageError(
    `The installed ${ownScope}/${name} has no command ${words}. Install the version that this envs has.`,
  );
}

/** Commands of a package in the project need this command line beside it; a global one is elsewhere. */
async function withKit<Module>(loader: () => Promise<Module>, name: string): Promise<Module> {
  try {
    return await loader();
  } catch (error) {
    const kit = `${ownScope}/cli`;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== "ERR_MODULE_NOT_FOUND" || !message.includes(`Cannot find package '${kit}'`))
      throw error;
    const command = await projectInstallCommand(kit);
    throw new UsageError(
      `The commands of ${ownScope}/${name} need the package ${kit} in the same project. Install it: ${command.join(" ")}`,
    );
  }
}

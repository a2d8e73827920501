import { inspect } from "node:util";

import { unusablePath } from "./commands/unusable-path.ts";
import { settingsHelp } from "./platform/config/read-settings.ts";
import { CommandError } from "./platform/errors/command-error.ts";

type Command = (args: readonly string[]) => Promise<void>;

const commands: Readonly<Record<string, () => Promise<{ readonly run: Command }>>> = {
  start: () => import("./commands/start.ts"),
  backup: () => import("./commands/backup.ts"),
  restore: () => import("./commands/restore.ts"),
  "rotate-key": () => import("./commands/rotate-key.ts"),
  sweep: () => import("./commands/sweep.ts"),
};

const help = `envs-hub: an npm registry for environments, and an index of them

Usage: envs-hub <command> [options]

  start              Start the hub (also without a command)
    --data <folder>    Folder of the embedded database and of blobs (HUB_DATA)
    --port <number>    Port to listen on, 0 for any (HUB_PORT)
    --host <address>   Address to listen on (HUB_HOST)
    --seed [folder]    Publish the packages of the pnpm workspace in a folder (default: this one)
  backup <file>      Write the embedded database and the blobs into one file, while the hub is stopped
    --data <folder>
  restore <file>     Make a data folder from a backup; the folder must not exist
    --data <folder>
  rotate-key         Sign versions with a new key; signatures of the old one stay valid
    --data <folder>
  sweep              Remove the blobs that no version names and that are older than a day
    --data <folder>
    --dry-run          Say what would be removed

Variables, for all commands:
${settingsHelp()}

Start with: envs-hub start --data hub-data
`;

async function main(args: readonly string[]): Promise<void> {
  const [first, ...rest] = args;
  if (first === "--help" || first === "-h" || rest.includes("--help"))
    return void process.stdout.write(help);
  const isNamed = first !== undefined && !first.startsWith("-");
  const name = isNamed ? first : "start";
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (load === undefined)
    throw new CommandError(`There is no command ${JSON.stringify(name)}. See: envs-hub --help`);
  const { run } = await load();
  await run(isNamed ? rest : args);
}

/** Errors by name, so that this file loads nothing of what throws them. */
const mendable = new Set([
  "CommandError",
  "SettingsError",
  "MigrationError",
  "DamagedDatabaseError",
]);

/** What whoever starts the hub can mend is told in words; anything else is a defect, with its trace. */
function report(error: unknown): void {
  const words =
    unusablePath(error) ??
    (error instanceof Error && (mendable.has(error.name) || isRefusal(error))
      ? error.message
      : undefined);
  process.stderr.write(
    words === undefined
      ? `This is a defect of the hub, please report it.\n${inspect(error)}\n`
      : `${words}\n`,
  );
  process.exitCode = words === undefined ? 1 : 2;
}

/** Node's own words for a wrong option are good enough. */
function isRefusal(error: unknown): boolean {
  return (
    error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS")
  );
}

/** Whoever reads what is printed may have enough of it, as `head` has: that ends no hub. */
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

await main(process.argv.slice(2)).catch(report);

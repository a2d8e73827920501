import { reportError } from "./commands/report-error.ts";
import { settingsHelp } from "./platform/config/read-settings.ts";
import { CommandError } from "./platform/errors/hub-error.ts";

type Command = (args: readonly string[]) => Promise<void>;

const commands: Readonly<Record<string, () => Promise<{ readonly run: Command }>>> = {
  start: () => import("./commands/start.ts"),
  backup: () => import("./commands/backup.ts"),
  restore: () => import("./commands/restore.ts"),
  doctor: () => import("./commands/doctor.ts"),
  "rotate-key": () => import("./commands/rotate-key.ts"),
  sweep: () => import("./commands/sweep.ts"),
  verify: () => import("./commands/verify.ts"),
};

const help = `envs-hub: an npm registry and index of environments

Usage: envs-hub <command> [options]

  start              Start the hub (the default command)
    --data <folder>    Folder for the embedded database and the blobs (HUB_DATA)
    --port <number>    Port to listen on, 0 for any (HUB_PORT)
    --host <address>   Address to listen on (HUB_HOST)
    --seed [folder]    Publish the packages of a pnpm workspace (default: the current folder)
  backup <file>      Save the embedded database and the blobs to a file; stop the hub first
    --data <folder>
  restore <file>     Restore a backup into a data folder that does not exist yet
    --data <folder>
  doctor             Check the settings, the database, the blob store, the public URL and the proxy
    --data <folder>
    --json             Print one JSON object
  rotate-key         Sign versions with a new key; existing signatures stay valid
    --data <folder>
  sweep              Delete unreferenced blobs that are older than a day
    --data <folder>
    --dry-run          Print the totals without deleting
  verify             Verify the hash of every tarball; name those that are corrupt or missing
    --data <folder>
    --repair-from <url>  Fetch damaged tarballs of public packages from another hub

Environment variables, for all commands:
${settingsHelp()}

Example: envs-hub start --data hub-data
`;

async function main(args: readonly string[]): Promise<void> {
  const [first, ...rest] = args;
  if (first === "--help" || first === "-h" || rest.includes("--help"))
    return void process.stdout.write(help);
  const isNamed = first !== undefined && !first.startsWith("-");
  const name = isNamed ? first : "start";
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (load === undefined)
    throw new CommandError(
      `Unknown command ${JSON.stringify(name)}. Commands: ${Object.keys(commands).join(", ")}. See: envs-hub --help`,
    );
  const { run } = await load();
  await run(isNamed ? rest : args);
}

// The reader of a pipe, such as `head`, may close it while the hub runs.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

await main(process.argv.slice(2)).catch(reportError);

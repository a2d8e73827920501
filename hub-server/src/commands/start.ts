import { once } from "node:events";
import { resolve } from "node:path";
import { parseArgs } from "node:util";

import { readSettings } from "../platform/config/read-settings.ts";
import type { Settings } from "../platform/config/settings.ts";
import { CommandError } from "../platform/errors/command-error.ts";
import type { RunningHub } from "../start.ts";
import { startQuickly } from "./quick-start.ts";

/** Starts a hub and keeps it until the process is asked to end. */
export async function run(args: readonly string[]): Promise<void> {
  // `--seed` may stand without a folder, which parseArgs does not know.
  const given = args.map((arg, index) =>
    arg === "--seed" && (args[index + 1] ?? "-").startsWith("-") ? "--seed=." : arg,
  );
  const { values } = parseArgs({
    args: given,
    options: {
      data: { type: "string" },
      port: { type: "string" },
      host: { type: "string" },
      seed: { type: "string" },
    },
  });
  const settings = readSettings({
    ...process.env,
    ...(values.data === undefined ? {} : { HUB_DATA: values.data }),
    ...(values.port === undefined ? {} : { HUB_PORT: values.port }),
    ...(values.host === undefined ? {} : { HUB_HOST: values.host }),
  });
  if (settings.DATABASE_URL === undefined) startQuickly(settings);
  const { startHub } = await import("../start.ts");
  const ended = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  const running = await startHub(settings).catch((error: unknown) => explain(error, settings));
  try {
    await serve(running, { settings, workspace: values.seed, ended });
  } finally {
    await running.close();
  }
}

interface Service {
  readonly settings: Settings;
  /** The folder to seed from, if any. */
  readonly workspace: string | undefined;
  readonly ended: Promise<unknown>;
}

async function serve(running: RunningHub, { settings, workspace, ended }: Service): Promise<void> {
  say(`The hub answers at ${running.url}\n  data: ${placeOf(settings)}`);
  if (workspace !== undefined) await seed(running, workspace);
  const { firstAccountLink } = await import("../identity/accounts/first-account.ts");
  const invitation = await firstAccountLink(running.hub);
  if (invitation !== undefined)
    say(`  Make the first account here (once, within a day): ${running.url}${invitation}`);
  say(`  Install from it: add to .npmrc  @envs:registry=${running.url}/`);
  await ended;
  say("The hub ends; requests that are under way are answered first.");
}

async function seed({ hub }: RunningHub, folder: string): Promise<void> {
  const { seedWorkspace } = await import("./seed/seed-workspace.ts");
  for await (const { name, version, isNew } of seedWorkspace(hub, folder))
    say(`  ${isNew ? "published" : "has"} ${name}@${version}`);
}

function placeOf({ DATABASE_URL, HUB_BLOBS, HUB_DATA }: Settings): string {
  const database =
    DATABASE_URL === undefined
      ? "embedded PostgreSQL"
      : `PostgreSQL on ${new URL(DATABASE_URL).host}`;
  const blobs = HUB_BLOBS === undefined ? "files" : `blobs in ${new URL(HUB_BLOBS).host}`;
  const isLocal = DATABASE_URL === undefined || HUB_BLOBS === undefined;
  return `${database}, ${blobs}${isLocal ? ` (${resolve(HUB_DATA)})` : ""}`;
}

/** What commonly stands in the way, in words. */
function explain(error: unknown, { HUB_PORT, HUB_HOST, DATABASE_URL }: Settings): never {
  const { code } = error as { readonly code?: string };
  if (code === "EADDRINUSE")
    throw new CommandError(
      `Port ${HUB_PORT} is taken: another program, perhaps another hub, listens there. Choose one: --port 4874, or 0 for any.`,
    );
  if (code === "EADDRNOTAVAIL")
    throw new CommandError(
      `This machine has no address ${HUB_HOST}. Set --host (or HUB_HOST) to one that it has.`,
    );
  if (code === "ECONNREFUSED" && DATABASE_URL !== undefined)
    throw new CommandError(
      `No PostgreSQL answers at ${new URL(DATABASE_URL).host}. Start it, or correct DATABASE_URL.`,
    );
  if (code?.match(/^(28|3D)/))
    throw new CommandError(`PostgreSQL declines DATABASE_URL: ${(error as Error).message}`);
  throw error;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

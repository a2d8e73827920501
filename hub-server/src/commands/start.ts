import { once } from "node:events";
import { enableCompileCache } from "node:module";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";

import type { Settings } from "../platform/config/settings.ts";
import { CommandError, HubError } from "../platform/errors/hub-error.ts";
import type { RunningHub } from "../start.ts";
import { commandSettings } from "./data-folder.ts";

/** Starts a hub and runs it until SIGINT or SIGTERM. */
export async function run(args: readonly string[]): Promise<void> {
  // parseArgs does not support an option with an optional value.
  const withSeed = args.map((arg, index) =>
    arg === "--seed" && (args[index + 1] ?? "-").startsWith("-") ? "--seed=." : arg,
  );
  const { values } = parseArgs({
    args: withSeed,
    options: {
      data: { type: "string" },
      port: { type: "string" },
      host: { type: "string" },
      seed: { type: "string" },
    },
  });
  const settings = commandSettings(values);
  if (settings.DATABASE_URL === undefined) tuneForEmbedded(settings);
  const { startHub } = await import("../start.ts");
  const stopSignal = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  const running = await startHub(settings).catch((error: unknown) => explain(error, settings));
  let failure: Error | undefined;
  try {
    print(`The hub is running at ${running.url}\n  Data: ${storageOf(settings)}`);
    if (values.seed !== undefined) await seed(running, values.seed);
    await printInstructions(running);
    failure = await Promise.race([
      stopSignal.then(() => undefined),
      running.hub.connection.failure,
    ]);
    if (failure !== undefined)
      throw new CommandError(
        `PostgreSQL has stopped: ${failure.message}. The changes that the hub acknowledged are on the disk of ${resolve(settings.HUB_DATA)}. Check this disk, then start the hub again.`,
      );
    print("Shutting down. Open requests are completed first.");
  } finally {
    await running.close().catch((error: unknown) => {
      // Ignores errors: the disk on which the database failed may also reject the removal of the lock.
      if (failure === undefined) throw error;
    });
  }
}

/** Speeds up the start of an embedded database. Call it before any module of the hub is loaded. */
function tuneForEmbedded({ HUB_DATA }: Settings): void {
  // By default, V8 optimises many of PostgreSQL's functions during the start, and takes 80 MB for some. This budget is 15 times
  // the default, so that a starting hub has the memory and the core for itself.
  setFlagsFromString("--wasm-tiering-budget=200000000");
  // A cache in a shared temporary folder could be manipulated by other users.
  enableCompileCache(join(HUB_DATA, "compiled"));
}

async function printInstructions({ hub, url }: RunningHub): Promise<void> {
  const { firstAccountLink } = await import("../identity/accounts/first-account.ts");
  try {
    const path = await firstAccountLink(hub);
    if (path !== undefined)
      print(`  Create the first account (link valid once, for a day): ${url}${path}`);
  } catch (error) {
    // The hub answers already, and waits for its database as it would later.
    if (!(error instanceof HubError && error.code === "database-unavailable")) throw error;
    print("  The hub cannot reach its database. Without an account, start it again for a link.");
  }
  print(`  To install from this hub, add to .npmrc: @envs:registry=${url}/`);
}

async function seed({ hub }: RunningHub, folder: string): Promise<void> {
  const { seedWorkspace } = await import("./seed/seed-workspace.ts");
  for await (const { name, version, isNew } of seedWorkspace(hub, folder))
    print(`  ${isNew ? "Published" : "Already published:"} ${name}@${version}`);
}

function storageOf({ DATABASE_URL, HUB_BLOBS, HUB_DATA }: Settings): string {
  const database =
    DATABASE_URL === undefined
      ? "embedded PostgreSQL"
      : `PostgreSQL on ${new URL(DATABASE_URL).host}`;
  const blobs = HUB_BLOBS === undefined ? "files" : `blobs in ${new URL(HUB_BLOBS).host}`;
  const isLocal = DATABASE_URL === undefined || HUB_BLOBS === undefined;
  return `${database}, ${blobs}${isLocal ? ` (${resolve(HUB_DATA)})` : ""}`;
}

/** Replaces common errors at the start by messages with a remedy. */
function explain(error: unknown, { HUB_PORT, HUB_HOST, DATABASE_URL }: Settings): never {
  const cause = error instanceof HubError ? error.cause : error;
  const { code } = cause as { readonly code?: string };
  if (code === "EADDRINUSE")
    throw new CommandError(
      `Port ${HUB_PORT} is in use by another program, perhaps another hub. Choose another port, such as --port 4874, or --port 0 for any.`,
    );
  if (code === "EADDRNOTAVAIL")
    throw new CommandError(
      `This machine does not have the address ${HUB_HOST}. Set --host (or HUB_HOST) to one of its addresses.`,
    );
  if (["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN"].includes(code ?? "") && DATABASE_URL !== undefined)
    throw new CommandError(
      `PostgreSQL is unreachable at ${new URL(DATABASE_URL).host}. Start it, or correct DATABASE_URL.`,
    );
  if (code?.match(/^(28|3D)/))
    throw new CommandError(
      `PostgreSQL rejects the connection: ${(cause as Error).message}. Correct the user, password or database in DATABASE_URL.`,
    );
  if (error instanceof HubError) throw new CommandError(`${error.message} ${String(cause)}`);
  throw error;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

import { mkdir } from "node:fs/promises";

import { ConfigError } from "@envs/core";
import { messageOf, redactUrl } from "@envs/core/engine";

import { persist, type PersistOptions } from "./persist.ts";
import { connectEmbedded, connectServer } from "./postgres/database.ts";
import { postgresQueue } from "./postgres/postgres-queue.ts";
import { whileAvailable } from "./postgres/unavailable.ts";
import { type Queue, QueueUnavailableError, type WorkerQueue } from "./queue.ts";

export interface OpenQueueOptions extends PersistOptions {
  /** The maximum number of connections to a server, at least 2. Default 4, and one more to receive notifications. */
  readonly connections?: number | undefined;
  /** The milliseconds to wait for a server that does not run yet. Default 60,000. */
  readonly waitMs?: number | undefined;
}

/** Whether a reference is the URL of a PostgreSQL server, not a folder. */
export function isServerUrl(reference: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(reference);
}

/**
 * Opens the queue of a PostgreSQL server, such as `postgres://envs@localhost/envs`, or of a folder, in which PostgreSQL runs
 * inside this process. One process at a time can open a folder. Waits for a server that does not run yet; throws a `ConfigError` if
 * it does not come, and at once if it refuses the connection for another reason.
 */
export async function openQueue(
  reference: string,
  { connections = 4, waitMs = 60_000, signal, onUnavailable }: OpenQueueOptions = {},
): Promise<Queue> {
  if (!isServerUrl(reference)) return await openFolder(reference);
  const connect = (): ReturnType<typeof connectServer> =>
    whileAvailable(() => connectServer(reference, connections));
  const late = AbortSignal.timeout(waitMs);
  try {
    const database = await persist(connect, {
      signal: signal === undefined ? late : AbortSignal.any([signal, late]),
      onUnavailable,
    });
    return postgresQueue(database);
  } catch (error) {
    const waited =
      error instanceof QueueUnavailableError && late.aborted
        ? ` It did not answer for ${Math.round(waitMs / 1000)} seconds.`
        : "";
    const { cause } = error as Error;
    const reason = messageOf(error instanceof QueueUnavailableError ? cause : error);
    throw new ConfigError(
      `Cannot open the queue ${redactUrl(reference)}: ${reason}.${waited} Check that PostgreSQL runs, and that the URL names a database in which its user may create schemas.`,
      [],
      { cause: error },
    );
  }
}

/**
 * Opens the worker's half of a queue: of `openQueue`, or of a server that `envs queue serve` started, such as
 * `https://queue.example.com:8470`. Such a server needs the token of this host.
 */
export async function openWorkerQueue(
  reference: string,
  { token, ...options }: OpenQueueOptions & { readonly token?: string | undefined } = {},
): Promise<WorkerQueue> {
  if (!/^https?:\/\//.test(reference)) return await openQueue(reference, options);
  const { httpQueue } = await import("./http/http-queue.ts");
  if (token !== undefined && token !== "") return httpQueue(reference, token);
  throw new ConfigError(
    `The queue ${redactUrl(reference)} needs the token of this host. Set ENVS_QUEUE_TOKEN to the token that envs queue token printed.`,
  );
}

async function openFolder(folder: string): Promise<Queue> {
  let pglite;
  try {
    pglite = await import("@electric-sql/pglite");
  } catch (cause) {
    throw new ConfigError(
      `A queue in a folder (${folder}) needs PGlite. Install it: npm install @electric-sql/pglite. Or pass the URL of a PostgreSQL server.`,
      [],
      { cause },
    );
  }
  await mkdir(folder, { recursive: true });
  return postgresQueue(await connectEmbedded(await pglite.PGlite.create(folder)));
}

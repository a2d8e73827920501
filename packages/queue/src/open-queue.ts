import { mkdir } from "node:fs/promises";

import { ConfigError } from "@envs/core";
import { messageOf } from "@envs/core/engine";
import { redactUrl } from "@envs/core/records";

import { connectEmbedded, connectServer } from "./postgres/database.ts";
import { postgresQueue } from "./postgres/postgres-queue.ts";
import type { Queue, WorkerQueue } from "./queue.ts";

export interface OpenQueueOptions {
  /** The maximum number of connections to a server. Default 4, and one more to receive notifications. */
  readonly connections?: number | undefined;
}

/** Whether a reference is the URL of a PostgreSQL server, not a folder. */
export function isServerUrl(reference: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(reference);
}

/**
 * Opens the queue of a PostgreSQL server, such as `postgres://envs@localhost/envs`, or of a folder, in which PostgreSQL runs
 * inside this process. One process at a time can open a folder.
 */
export async function openQueue(
  reference: string,
  { connections = 4 }: OpenQueueOptions = {},
): Promise<Queue> {
  if (!isServerUrl(reference)) return await openFolder(reference);
  try {
    return postgresQueue(await connectServer(reference, connections));
  } catch (error) {
    throw new ConfigError(
      `Cannot open the queue ${redactUrl(reference)}: ${messageOf(error)}. Check that PostgreSQL runs, and that the URL names a database in which its user may create schemas.`,
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
  { token }: { readonly token?: string | undefined } = {},
): Promise<WorkerQueue> {
  if (!/^https?:\/\//.test(reference)) return await openQueue(reference);
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

import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

import { ConfigError } from "@envs/core";
import { createFolder, WriteError } from "@envs/records/node";

import { type Checksum, checksumOf } from "./checksum.ts";
import { claimPartialFile, type PartialFile } from "./partial-file.ts";
import { progressOf } from "./progress.ts";
import { request, type RequestOptions, ResponseError } from "./request.ts";

export interface Download extends RequestOptions {
  /** How messages name the file. */
  readonly name: string;
  readonly url: string;
  /** Where the complete file will be. */
  readonly target: string;
  readonly size: number | undefined;
  readonly checksum: Checksum | undefined;
}

const running = new Map<string, Promise<void>>();

/** Downloads a file unless it exists. Continues an interrupted download; downloads once if several callers ask at once. */
export async function download(file: Download): Promise<void> {
  const current = running.get(file.target);
  if (current !== undefined) return current;
  const started = start(file).finally(() => running.delete(file.target));
  running.set(file.target, started);
  return started;
}

async function start(file: Download): Promise<void> {
  await createFolder(dirname(file.target));
  const part = await claimPartialFile(file.target);
  if (part === undefined) return;
  try {
    await fill(part, file);
    if (!(await isIntact(part, file))) {
      // Starts again, once, for a damaged file or one that changed since its first bytes arrived.
      await rm(part.path, { force: true });
      await fill({ ...part, size: 0 }, file);
      if (!(await isIntact(part, file))) throw await damaged(part, file);
    }
    await rename(part.path, file.target);
  } catch (error) {
    await part.release();
    throw error;
  }
}

async function fill(part: PartialFile, file: Download): Promise<void> {
  const report = progressOf(file.name, file.size);
  let received = part.size;
  if (file.size !== undefined && received === file.size) return;
  const handle = await open(part.path, received === 0 ? "w" : "r+");
  try {
    await request(
      file.url,
      requestFrom(file, () => received),
      async (response, onBytes) => {
        if (response.status !== 206) {
          received = 0;
          await handle.truncate(0);
        }
        report(received);
        for await (const bytes of response.body ?? []) {
          onBytes();
          await write(handle, bytes, received, file);
          received += bytes.length;
          report(received);
        }
      },
    ).catch((error: unknown) => {
      // The partial file has all bytes, or more than the file has now.
      if (!(error instanceof ResponseError && error.status === 416)) throw error;
    });
  } finally {
    await handle.close();
  }
  report(received, true);
}

/** The headers are read at each attempt, so that each continues where the last was interrupted. */
function requestFrom({ headers, stallTimeout }: Download, received: () => number): RequestOptions {
  return {
    stallTimeout,
    get headers() {
      const start = received();
      const range = start === 0 ? {} : { range: `bytes=${start}-` };
      // Requests no compression, which would change the offsets.
      return { ...headers, ...range, "accept-encoding": "identity" };
    },
  };
}

async function write(
  handle: FileHandle,
  bytes: Uint8Array,
  position: number,
  { name, target }: Download,
): Promise<void> {
  try {
    let written = 0;
    while (written < bytes.length)
      written += (await handle.write(bytes, written, undefined, position + written)).bytesWritten;
  } catch (error) {
    const advice =
      "Free space, or set HF_HUB_CACHE to a folder on another disk. The download continues where it was interrupted.";
    throw new WriteError(`save ${name} in ${dirname(target)}`, error, advice);
  }
}

async function isIntact({ path }: PartialFile, { checksum }: Download): Promise<boolean> {
  return checksum === undefined || (await checksumOf(path, checksum.algorithm)) === checksum.value;
}

async function damaged(part: PartialFile, { name, checksum }: Download): Promise<ConfigError> {
  const { algorithm, value } = checksum!;
  const actual = await checksumOf(part.path, algorithm);
  await rm(part.path, { force: true });
  const kind = algorithm === "sha256" ? "SHA-256" : "git blob id";
  return new ConfigError(
    `${name} was downloaded twice with the ${kind} ${actual} instead of ${value}. The server or a proxy changes its bytes. Nothing was kept.`,
  );
}

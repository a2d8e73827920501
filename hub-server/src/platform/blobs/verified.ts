import { createHash } from "node:crypto";
import { Readable } from "node:stream";

import { HubError } from "../errors/hub-error.ts";
import type { BlobStore, ByteRange } from "./blob-store.ts";

/** The damage of a blob: its bytes do not match its key, or the store lacks it. */
export type Damage = "corrupt" | "missing";

/** Called for each damaged blob that a client has requested. */
export type DamageListener = (damage: Damage, key: string) => void;

/**
 * Verifies every blob that is read. A corrupt blob is quarantined. Its transfer fails before the last byte, so that clients
 * notice and retry; a blob that has not been sent yet is a `tarball-damaged` error.
 */
export function verifiedBlobs(store: BlobStore, onDamage: DamageListener): BlobStore {
  const corrupt = async (key: string): Promise<HubError> => {
    if (await quarantineIfCorrupt(store, key)) onDamage("corrupt", key);
    return damaged("does not match its hash");
  };
  const missing = (key: string): HubError => {
    onDamage("missing", key);
    return damaged("is missing");
  };
  return {
    ...store,
    async get(key) {
      const bytes = await store.get(key);
      if (bytes === undefined) throw missing(key);
      if (!matches(key, bytes)) throw await corrupt(key);
      return bytes;
    },
    async stream(key, range) {
      const stored = await store.stream(key);
      if (stored === undefined) throw missing(key);
      const bytes = verify(key, stored.body, range);
      const size = range === undefined ? stored.size : range.end - range.start + 1;
      return { size, body: Readable.from(bytes, { objectMode: false }) };
    },
  };

  /**
   * Reads the whole blob and yields the bytes of the range: each part when the next one has arrived, and the last one when the
   * hash matches.
   */
  async function* verify(
    key: string,
    body: Readable,
    { start, end }: ByteRange = { start: 0, end: Infinity },
  ): AsyncGenerator<Buffer> {
    const hash = createHash("sha512");
    let position = 0;
    let pending: Buffer | undefined;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      hash.update(chunk);
      const part = chunk.subarray(Math.max(0, start - position), Math.max(0, end + 1 - position));
      position += chunk.byteLength;
      if (part.byteLength === 0) continue;
      if (pending !== undefined) yield pending;
      pending = part;
    }
    if (hash.digest("hex") !== key) throw await corrupt(key);
    if (pending !== undefined) yield pending;
  }
}

/** Moves a blob out of the store if it is corrupt. Returns false if a second read is correct: the first one was a glitch. */
export async function quarantineIfCorrupt(store: BlobStore, key: string): Promise<boolean> {
  const bytes = await store.get(key);
  if (bytes === undefined || matches(key, bytes)) return false;
  await store.quarantine(key);
  return true;
}

/** Whether the bytes have the hash that is their key. */
export function matches(key: string, bytes: Uint8Array): boolean {
  return createHash("sha512").update(bytes).digest("hex") === key;
}

function damaged(problem: string): HubError {
  return new HubError("tarball-damaged", {
    message: `The hub's copy of the tarball ${problem}. Ask the operator to repair it: envs-hub verify --repair-from <another hub>`,
  });
}

import { createHash } from "node:crypto";
import { Readable } from "node:stream";

import { HubError } from "../errors/hub-error.ts";

/** The first and the last byte of a part. */
interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** A content-addressed store: a key is the SHA-512 of the bytes in lower-case hex, and a blob never changes. */
export interface BlobStore {
  /** Writes the bytes unless the key exists. They are durable when the promise resolves. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** The path of a new file on this machine for {@link putFile}. */
  newFile(): string;
  /** Like {@link put}, for the bytes of a file, which are synced. Moves or deletes the file. */
  putFile(key: string, path: string): Promise<void>;
  get(key: string): Promise<Uint8Array | undefined>;
  /** Reads a blob or a range of it, whose last byte is inclusive. `size` is the length of the body. */
  stream(
    key: string,
    range?: ByteRange,
  ): Promise<{ readonly size: number; readonly body: Readable } | undefined>;
  has(key: string): Promise<boolean>;
  delete(key: string): Promise<void>;
  /** Moves a corrupt blob to a place that no other operation reads, so that the operator can examine it. */
  quarantine(key: string): Promise<void>;
  /** Lists every blob and ignores other files. */
  list(): AsyncIterable<StoredBlob>;
  /** Removes the temporary files of dead processes: those written before `before`. Younger ones may be in use. */
  dropUnfinished(options: {
    readonly before: Date;
    /** Counts without removing. */
    readonly isDry?: boolean;
  }): Promise<BlobTotals>;
  /** Throws if the store is unusable. */
  check(): Promise<void>;
}

export interface StoredBlob {
  readonly key: string;
  readonly size: number;
  readonly writtenAt: Date;
}

/** The number of blobs and their total size. */
export interface BlobTotals {
  readonly count: number;
  readonly bytes: number;
}

export function isKey(text: string): boolean {
  return /^[0-9a-f]{128}$/.test(text);
}

/** Returns the key, or throws a `TypeError` if it is not a hash: it becomes part of a path. */
export function checkKey(key: string): string {
  if (!isKey(key))
    throw new TypeError(`A blob's key must be a SHA-512 in hex, not ${JSON.stringify(key)}.`);
  return key;
}

/** The damage of a blob: its bytes do not match its key, or the store lacks it. */
export type Damage = "corrupt" | "missing";

/** Called for each damaged blob that a client has requested. */
type DamageListener = (damage: Damage, key: string) => void;

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

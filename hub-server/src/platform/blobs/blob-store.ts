import type { Readable } from "node:stream";

/** The first and the last byte of a part. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** A content-addressed store: a key is the SHA-512 of the bytes in lower-case hex, and a blob never changes. */
export interface BlobStore {
  /** Writes the bytes unless the key exists. They are durable when the promise resolves. */
  put(key: string, bytes: Uint8Array): Promise<void>;
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

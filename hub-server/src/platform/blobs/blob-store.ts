import type { Readable } from "node:stream";

/** Bytes by the name of their content: written once, never changed. A key is a SHA-512 in lower-case hex. */
export interface BlobStore {
  /** Writes the bytes unless the key is there; when it resolves, they survive a crash. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  get(key: string): Promise<Uint8Array | undefined>;
  stream(key: string): Promise<{ readonly size: number; readonly body: Readable } | undefined>;
  has(key: string): Promise<boolean>;
  delete(key: string): Promise<void>;
  /** Every blob. What else lies in the store is left out. */
  list(): AsyncIterable<StoredBlob>;
  /** Removes what was being written when a process died. Another one may be writing now, so young files stay. */
  dropUnfinished(options: {
    readonly before: Date;
    /** Counts only. */
    readonly isDry?: boolean;
  }): Promise<Amount>;
  /** Throws when the store cannot be used. */
  check(): Promise<void>;
}

export interface StoredBlob {
  readonly key: string;
  readonly size: number;
  readonly writtenAt: Date;
}

/** How many things, and how many bytes they have together. */
export interface Amount {
  readonly count: number;
  readonly bytes: number;
}

export function isKey(text: string): boolean {
  return /^[0-9a-f]{128}$/.test(text);
}

/** Refuses keys that are not hashes, so that no path can be smuggled in. */
export function checkKey(key: string): string {
  if (!isKey(key))
    throw new TypeError(`A blob's key is a hash in hex, not ${JSON.stringify(key)}.`);
  return key;
}

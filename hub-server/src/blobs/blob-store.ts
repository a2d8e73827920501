import type { Readable } from "node:stream";

/** Bytes by the name of their content: written once, never changed. A key is lower-case hex, at least 32 digits. */
export interface BlobStore {
  /** Writes the bytes unless the key is there; when it resolves, they survive a crash. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  get(key: string): Promise<Uint8Array | undefined>;
  stream(key: string): Promise<{ readonly size: number; readonly body: Readable } | undefined>;
  has(key: string): Promise<boolean>;
  delete(key: string): Promise<void>;
  list(): AsyncIterable<string>;
  /** Throws when the store cannot be used. */
  check(): Promise<void>;
}

/** Refuses keys that are not hashes, so that no path can be smuggled in. */
export function checkKey(key: string): string {
  if (!/^[0-9a-f]{32,}$/.test(key))
    throw new TypeError(`A blob's key is a hash in hex, not ${JSON.stringify(key)}.`);
  return key;
}

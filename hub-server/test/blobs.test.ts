import { createHash } from "node:crypto";
import { access, mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import type { BlobStore } from "../src/platform/blobs/blob-store.ts";
import { fileBlobs } from "../src/platform/blobs/files.ts";
import { s3Blobs } from "../src/platform/blobs/s3.ts";
import { s3Bucket } from "./support/s3.ts";

const keyOf = (bytes: Uint8Array): string => createHash("sha512").update(bytes).digest("hex");
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "envs-blobs-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const stores: Readonly<Record<string, () => Promise<BlobStore>>> = {
  files: () => fileBlobs(join(folder, "blobs")),
  S3: async () => s3Blobs(await s3Bucket()),
};

describe.each(Object.keys(stores))("blobs in %s", (kind) => {
  let store: BlobStore;
  beforeAll(async () => {
    store = await stores[kind]!();
  });

  test("get and stream return the bytes of put", async () => {
    const bytes = Buffer.from("some bytes".repeat(100_000));
    await store.put(keyOf(bytes), bytes);
    expect(Buffer.from((await store.get(keyOf(bytes)))!).equals(bytes)).toBe(true);
    const { size, body } = (await store.stream(keyOf(bytes)))!;
    expect(size).toBe(bytes.length);
    expect((await buffer(body)).equals(bytes)).toBe(true);
    expect(await store.has(keyOf(bytes))).toBe(true);
  });

  test("get returns undefined for a missing blob, and delete ignores it", async () => {
    const absent = keyOf(Buffer.from("never put"));
    expect([await store.get(absent), await store.stream(absent), await store.has(absent)]).toEqual([
      undefined,
      undefined,
      false,
    ]);
    await store.delete(absent);
  });

  test("concurrent puts of one blob leave it intact", async () => {
    const bytes = Buffer.from("together".repeat(10_000));
    await Promise.all(Array.from({ length: 20 }, () => store.put(keyOf(bytes), bytes)));
    expect(keyOf((await store.get(keyOf(bytes)))!)).toBe(keyOf(bytes));
  });

  test("putFile takes a file, also one whose blob exists", async () => {
    const bytes = Buffer.from("streamed".repeat(10_000));
    for (let round = 0; round < 2; round += 1) {
      const path = store.newFile();
      await writeFile(path, bytes);
      await store.putFile(keyOf(bytes), path);
      expect(Buffer.from((await store.get(keyOf(bytes)))!).equals(bytes)).toBe(true);
      await expect(access(path)).rejects.toThrow("ENOENT");
    }
  });

  test("list returns every key except deleted ones", async () => {
    const stored = Buffer.from("kept");
    const deleted = Buffer.from("dropped");
    await store.put(keyOf(stored), stored);
    await store.put(keyOf(deleted), deleted);
    await store.delete(keyOf(deleted));
    const blobs = await Array.fromAsync(store.list());
    const keys = blobs.map(({ key }) => key);
    expect(keys).toContain(keyOf(stored));
    expect(keys).not.toContain(keyOf(deleted));
    for (const key of keys) expect(key).toMatch(/^[0-9a-f]{128}$/);
    const { size, writtenAt } = blobs.find(({ key }) => key === keyOf(stored))!;
    expect([size, writtenAt]).toEqual([stored.length, expect.any(Date)]);
  });

  test("rejects a key that is not a hash", async () => {
    for (const key of [
      "",
      "../../etc/passwd",
      "AB".repeat(32),
      "ab/cd".repeat(20),
      `${"ab".repeat(32)}\n`,
    ])
      await expect(async () => await store.get(key)).rejects.toThrow(
        "A blob's key must be a SHA-512",
      );
  });

  test("check succeeds for a usable store", async () => {
    await expect(store.check()).resolves.toBeUndefined();
  });
});

test("removes old temporary files and keeps recent ones", async () => {
  const path = join(folder, "torn");
  const store = await fileBlobs(path);
  await writeFile(join(path, "incoming/old"), "torn");
  await writeFile(join(path, "incoming/young"), "being written");
  await utimes(join(path, "incoming/old"), new Date("2020-01-01"), new Date("2020-01-01"));
  const before = new Date("2020-02-01");
  const old = { count: 1, bytes: "torn".length };
  expect(await store.dropUnfinished({ before, isDry: true })).toEqual(old);
  expect(await store.dropUnfinished({ before })).toEqual(old);
  expect(await readdir(join(path, "incoming"))).toEqual(["young"]);
});

test("removes the temporary file of a failed write, and list ignores other files", async () => {
  const path = join(folder, "full");
  const store = await fileBlobs(path);
  const bytes = Buffer.from("no room");
  await writeFile(join(path, keyOf(bytes).slice(0, 2)), "a file where a folder should be");
  await expect(store.put(keyOf(bytes), bytes)).rejects.toThrow("EEXIST");
  expect(await readdir(join(path, "incoming"))).toEqual([]);
  await mkdir(join(path, "lost+found"));
  await writeFile(join(path, "lost+found/notes.txt"), "not ours");
  expect(await Array.fromAsync(store.list())).toEqual([]);
});

test("check reports a missing bucket", async () => {
  const url = new URL(await s3Bucket());
  url.hostname = "no-such-bucket";
  await expect(s3Blobs(url.href).check()).rejects.toThrow(
    "Cannot use the bucket no-such-bucket of HUB_BLOBS: it does not exist. Create it, or correct",
  );
});

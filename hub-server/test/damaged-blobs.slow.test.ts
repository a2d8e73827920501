import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, test } from "vitest";

import { verifyBlobs } from "../src/operations/verify-blobs.ts";
import { verifiedBlobs } from "../src/platform/blobs/blob-store.ts";
import { fileBlobs } from "../src/platform/blobs/files.ts";
import { s3Blobs } from "../src/platform/blobs/s3.ts";
import { publishBody, publishOrThrow } from "./support/publish.ts";
import { s3Bucket } from "./support/s3.ts";
import { sharedHub, sharedUser } from "./support/shared-hub.ts";

const hub = sharedHub("server");
const other = sharedHub("server");
const ada = sharedUser(hub, "ada");
const otherAda = sharedUser(other, "ada");
const small = { as: ada, files: { "index.js": "small" } };
const large = { as: ada, files: { "data.bin": randomBytes(3_000_000) } };

/** Where the hub stores a tarball. */
function blobOf(name: string, { files }: typeof large | typeof small): string {
  const { _attachments } = publishBody(name, { files });
  const [attachment] = Object.values(_attachments);
  const bytes = Buffer.from(attachment!.data, "base64");
  const key = createHash("sha512").update(bytes).digest("hex");
  return join(hub.hub.settings.HUB_DATA, "blobs", key.slice(0, 2), key);
}

async function corrupt(path: string): Promise<void> {
  const bytes = await readFile(path);
  bytes[Math.floor(bytes.length / 2)]! ^= 0xff;
  await writeFile(path, bytes);
}

describe("a corrupt tarball", () => {
  test("is an error without caching headers if it is small", async () => {
    await publishOrThrow(hub, "@ada/small", small);
    await corrupt(blobOf("@ada/small", small));
    const response = await hub.request("/@ada/small/-/small-1.0.0.tgz");
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ code: "tarball-damaged" });
    expect(response.headers.get("cache-control") ?? "").not.toContain("immutable");
    expect(response.headers.get("etag")).toBeNull();
  });

  test("is a broken transfer if it is streamed, also for a range", async () => {
    for (const [name, headers] of [
      ["@ada/whole", {}],
      ["@ada/part", { range: "bytes=0-99999" }],
    ] as const) {
      await publishOrThrow(hub, name, large);
      await corrupt(blobOf(name, large));
      const response = await hub
        .request(`/${name}/-/${name.slice(5)}-1.0.0.tgz`, { headers })
        .catch(() => undefined);
      const bytes = response?.ok ? await response.arrayBuffer().catch(() => undefined) : undefined;
      expect(bytes).toBeUndefined();
    }
  });

  test("raises a metric and moves to quarantine", async () => {
    const metrics = await (await hub.request("/metrics")).text();
    expect(metrics).toMatch(/hub_damaged_blobs\{damage="corrupt"\} [1-9]/);
    const quarantine = await readdir(join(hub.hub.settings.HUB_DATA, "blobs/quarantine"));
    expect(quarantine).toHaveLength(3);
    for (const name of quarantine) expect(name).toMatch(/^[0-9a-f]{128}\.corrupt$/);
  });
});

describe("verification of all blobs", () => {
  test("names the versions whose tarballs are corrupt or missing, and repairs them from another hub", async () => {
    for (const name of ["@ada/one", "@ada/two", "@ada/three"]) {
      await publishOrThrow(hub, name, small);
      await publishOrThrow(other, name, { ...small, as: otherAda });
    }
    await corrupt(blobOf("@ada/one", small));
    await rm(blobOf("@ada/two", small));
    const blobs = await fileBlobs(join(hub.hub.settings.HUB_DATA, "blobs"));
    const { database } = hub.hub;
    const found = await verifyBlobs({ database, blobs });
    const named = found.damaged.map(({ name, damage }) => [name, damage]);
    expect(named).toEqual(
      expect.arrayContaining([
        ["@ada/one", "corrupt"],
        ["@ada/two", "missing"],
      ]),
    );
    expect(named.map(([name]) => name)).not.toContain("@ada/three");

    const repaired = await verifyBlobs({ database, blobs }, { source: other.url });
    expect(repaired.repaired.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["@ada/one", "@ada/two"]),
    );
    expect((await hub.request("/@ada/one/-/one-1.0.0.tgz")).status).toBe(200);
    // These blobs are on this hub only.
    const left = await verifyBlobs({ database, blobs });
    expect(left.damaged.map(({ name }) => name).toSorted()).toEqual([
      "@ada/part",
      "@ada/small",
      "@ada/whole",
    ]);
  });
});

describe("a corrupt blob", () => {
  const folders: string[] = [];
  afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));
  const stores = {
    async files() {
      const folder = await mkdtemp(join(tmpdir(), "envs-damaged-"));
      folders.push(folder);
      return await fileBlobs(folder);
    },
    S3: async () => s3Blobs(await s3Bucket()),
  };

  test.each(["files", "S3"] as const)("is quarantined, and can be put again (%s)", async (kind) => {
    const store = await stores[kind]();
    const bytes = Buffer.from("right");
    const key = createHash("sha512").update(bytes).digest("hex");
    await store.put(key, Buffer.from("wrong"));
    const damages: string[] = [];
    const verified = verifiedBlobs(store, (damage) => damages.push(damage));
    await expect(verified.get(key)).rejects.toThrow("does not match its hash");
    await expect(verified.get(key)).rejects.toThrow("is missing");
    expect(damages).toEqual(["corrupt", "missing"]);
    expect(await Array.fromAsync(store.list())).toEqual([]);
    await verified.put(key, bytes);
    expect(await verified.get(key)).toEqual(expect.objectContaining({ length: 5 }));
  });
});

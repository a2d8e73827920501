import { existsSync } from "node:fs";
import { open, rm, statfs } from "node:fs/promises";

import { testDisk } from "@envs/hub-server/testing/disk";
import { expect, test } from "vitest";

import { startHub } from "./support/hub/process.ts";
import { isPublished, logIn, packRelease, publish } from "./support/hub/publishing.ts";

const variables = { HUB_REGISTRATION: "open" };

/** Writes a file until the disk is full. */
async function fill(path: string): Promise<void> {
  const file = await open(path, "w");
  for (const size of [2 ** 20, 4096]) {
    const bytes = Buffer.alloc(size);
    while (await file.write(bytes).catch(() => undefined));
  }
  await file.datasync();
  await file.close();
  const { bavail, bsize } = await statfs(path);
  expect(bavail * bsize).toBeLessThan(2 ** 16);
}

test("a hub on a full disk rejects publishes with 507, serves reads, restarts, and recovers when space is freed", async () => {
  await using disk = await testDisk(256);
  const data = `${disk.path}/data`;
  const release = packRelease("@ada/first", "1.0.0", "export {};");
  const late = packRelease("@ada/late", "1.0.0", "export {};");
  const filler = `${disk.path}/filler`;
  const user = await (async () => {
    await using hub = await startHub({ data, variables });
    const ada = await logIn(hub.url, "ada");
    expect(await publish(ada, release)).toBe(201);
    await fill(filler);
    expect(await publish(ada, late)).toBe(507);
    expect(await isPublished(hub.url, release)).toBe(true);
    expect(await (await fetch(`${hub.url}/readyz`)).json()).toMatchObject({
      status: "read-only",
      code: "disk-full",
    });
    await rm(filler);
    expect(await publish(ada, late)).toBe(201);
    await fill(filler);
    await hub.kill();
    return ada;
  })();

  // With or without space for a start, the hub must not advise to restore a backup.
  const outcome = await startHub({ data, variables }).catch((error: unknown) => error as Error);
  if (outcome instanceof Error) {
    expect(outcome.message).toContain("full");
    expect(outcome.message).not.toContain("Restore");
    expect(existsSync(`${data}/run.lock`)).toBe(false);
  } else {
    expect(await isPublished(outcome.url, late)).toBe(true);
    // The start may have released space of the database.
    const rest = `${disk.path}/rest`;
    await fill(rest);
    const refused = packRelease("@ada/refused", "1.0.0", "export {};");
    expect(await publish({ ...user, hub: outcome.url }, refused)).toBe(507);
    await outcome.kill();
    await rm(rest);
  }

  await rm(filler);
  await using hub = await startHub({ data, variables });
  for (const each of [release, late]) expect(await isPublished(hub.url, each)).toBe(true);
  const last = packRelease("@ada/last", "1.0.0", "export {};");
  expect(await publish({ ...user, hub: hub.url }, last)).toBe(201);
});

test("the first start of a hub on a full disk reports the cause and removes its lock", async () => {
  await using disk = await testDisk(32);
  await fill(`${disk.path}/filler`);
  const data = `${disk.path}/data`;
  await expect(startHub({ data })).rejects.toThrow(/disk.* full/);
  expect(existsSync(`${data}/run.lock`)).toBe(false);

  await using small = await testDisk(32);
  await expect(startHub({ data: `${small.path}/data` })).rejects.toThrow(/disk.* is full/);
  expect(existsSync(`${small.path}/data/run.lock`)).toBe(false);
});

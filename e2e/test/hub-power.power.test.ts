import { once } from "node:events";
import { existsSync } from "node:fs";

import { random } from "@envs/core";
import { testDisk } from "@envs/hub-server/testing/disk";
import { expect, test, vi } from "vitest";

import { startHub } from "./support/hub/process.ts";
import {
  isPublished,
  logIn,
  packRelease,
  publish,
  type Release,
} from "./support/hub/publishing.ts";

const variables = { HUB_REGISTRATION: "open" };

test("the hub keeps the account and the versions that it acknowledged before each of six power failures", async () => {
  await using disk = await testDisk(512);
  const data = `${disk.path}/data`;
  const moments = random("power failures");
  const acknowledged: Release[] = [];
  let token: string | undefined;
  for (let failure = 0; failure < 6; failure += 1) {
    await using hub = await startHub({ data, variables });
    token ??= (await logIn(hub.url, "ada")).token;
    const user = { hub: hub.url, token };
    for (const release of acknowledged) expect(await isPublished(hub.url, release)).toBe(true);

    const queue = Array.from({ length: 40 }, (_, index) =>
      packRelease(
        `@ada/package-${index % 7}`,
        `1.${failure}.${index}`,
        `/* ${moments.next()} ${"x".repeat(moments.int(300_000))} */`,
      ),
    );
    const before = acknowledged.length;
    const cutAfter = before + moments.int(12);
    const power = { isOn: true };
    const worker = async (): Promise<void> => {
      for (
        let release = queue.shift();
        power.isOn && release !== undefined;
        release = queue.shift()
      ) {
        const status = await publish(user, release).catch(() => undefined);
        // Ignores answers that arrive while the power fails, because their versions may not be on the disk.
        if (power.isOn && status === 201) acknowledged.push(release);
      }
    };
    const publishing = Promise.all([worker(), worker(), worker()]);
    await vi.waitUntil(() => acknowledged.length >= cutAfter, { interval: 1, timeout: 120_000 });
    power.isOn = false;
    await disk.cutPower();
    await hub.kill();
    await publishing;
    await disk.restorePower();
  }
  await using hub = await startHub({ data, variables });
  for (const release of acknowledged) expect(await isPublished(hub.url, release)).toBe(true);
  expect(acknowledged.length).toBeGreaterThan(12);
});

test("the hub ends with a message when its disk fails, and keeps what it acknowledged", async () => {
  await using disk = await testDisk(512);
  const data = `${disk.path}/data`;
  const release = packRelease("@ada/first", "1.0.0", "export {};");
  const late = packRelease("@ada/late", "1.0.0", "export {};");
  await (async () => {
    await using hub = await startHub({ data, variables });
    const ada = await logIn(hub.url, "ada");
    expect(await publish(ada, release)).toBe(201);
    let errors = "";
    hub.child.stderr!.on("data", (chunk) => (errors += String(chunk)));
    const exit = once(hub.child, "exit");
    await disk.cutPower();
    // The disk fails as soon as the hub writes.
    const changes = setInterval(() => void publish(ada, late).catch(() => {}), 100);
    const [code] = await exit;
    clearInterval(changes);
    expect([code, errors]).toEqual([2, expect.stringContaining("PostgreSQL has stopped")]);
  })();
  await disk.restorePower();

  await using hub = await startHub({ data, variables });
  expect(await isPublished(hub.url, release)).toBe(true);
});

test("the hub starts on an empty folder after a power failure during its first start", async () => {
  await using disk = await testDisk(512);
  const data = `${disk.path}/data`;
  const start = startHub({ data, variables }).catch(() => undefined);
  await vi.waitUntil(() => existsSync(`${data}/database.incoming/base`), {
    interval: 1,
    timeout: 120_000,
  });
  await disk.cutPower();
  await (await start)?.kill();
  await disk.restorePower();

  await using hub = await startHub({ data, variables });
  expect(hub.invitation).toBeDefined();
});

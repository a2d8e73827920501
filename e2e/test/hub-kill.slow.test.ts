import { setTimeout as sleep } from "node:timers/promises";

import { random } from "@envs/core";
import { expect, test, vi } from "vitest";

import { clients } from "./support/clients.ts";
import { startClient } from "./support/clients/client.ts";
import { temporaryFolder } from "./support/command-line.ts";
import { startHub } from "./support/hub/process.ts";
import {
  isPublished,
  logIn,
  packRelease,
  publish,
  type Release,
} from "./support/hub/publishing.ts";

const [packages, versions, kills] = [10, 5, 5];

// The soak does this on PostgreSQL.
test("keeps acknowledged versions and publishes no partial ones when it is killed", async () => {
  await using folder = await temporaryFolder();
  const moments = random("hub kill", "embedded");
  const variables = { HUB_REGISTRATION: "open" };
  const start = () => startHub({ data: `${folder.path}/data`, variables });
  let token = "";

  let pending = Array.from({ length: packages * versions }, (_, index) => {
    const [name, number] = [`@ada/package-${index % packages}`, Math.floor(index / packages)];
    // Varies the size, so that some writes take longer.
    const content = `/* ${moments.next()} ${"x".repeat(moments.int(500_000))} */`;
    return packRelease(name, `1.${number}.0`, content);
  });
  const acknowledged: Release[] = [];
  let killed = 0;
  let inDoubt = 0;
  while (pending.length > 0) {
    await using hub = await start();
    token ||= (await logIn(hub.url, "ada")).token;
    // The killed hub did not answer these publishes: it stored them completely or not at all.
    const unpublished: Release[] = [];
    for (const release of pending)
      if (await isPublished(hub.url, release)) {
        expect(await publish({ hub: hub.url, token }, release)).toBe(409);
        acknowledged.push(release);
      } else unpublished.push(release);

    const unanswered: Release[] = [];
    const queue = [...unpublished];
    let answers = 0;
    const worker = async (): Promise<void> => {
      for (let release = queue.shift(); release !== undefined; release = queue.shift()) {
        const status = await publish({ hub: hub.url, token }, release).catch(() => undefined);
        if (status === undefined) unanswered.push(release);
        else if (status === 201) acknowledged.push(release);
        else
          throw new Error(
            `Publishing ${release.name}@${release.version} failed with status ${status}.`,
          );
        if (status === 201) answers += 1;
      }
    };
    const publishing = Promise.all(Array.from({ length: 4 }, worker));
    if (killed < kills) {
      // Kills at a random moment after some responses.
      const moment = moments.int(12);
      await vi.waitUntil(() => answers >= moment || queue.length === 0, {
        interval: 1,
        timeout: 120_000,
      });
      await sleep(moments.int(60));
      if (queue.length > 0) {
        killed += 1;
        await hub.kill();
      }
    }
    await publishing;
    inDoubt += Math.min(unanswered.length, 4);
    pending = unanswered;
  }
  expect(killed).toBeGreaterThan(3);
  expect(inDoubt).toBeGreaterThan(3);

  await using hub = await start();
  expect(acknowledged).toHaveLength(packages * versions);
  for (const release of acknowledged) expect(await isPublished(hub.url, release)).toBe(true);

  await using npm = await startClient(clients["npm 11"], { url: hub.url, scope: "ada" });
  const names = Array.from({ length: packages }, (_, index) => `@ada/package-${index}`);
  await npm.run("install", ...names);
});

import { random } from "@envs/core";
import { postgresDatabase } from "@envs/hub-testing/postgres";
import { expect, test, vi } from "vitest";

import { clients } from "../src/clients.ts";
import { startClient } from "../src/clients/client.ts";
import { temporaryFolder } from "../src/command-line.ts";
import { startHub } from "../src/hub/process.ts";
import { isPublished, publish, person, type Release, release } from "../src/hub/publishing.ts";

const [packages, versions, kills] = [10, 10, 12];

async function database(kind: string): Promise<{ url?: string } & AsyncDisposable> {
  if (kind === "embedded") return { [Symbol.asyncDispose]: async () => {} };
  return postgresDatabase();
}

test.each(["embedded", "PostgreSQL"])(
  "what is published while the hub is killed is whole or absent, and what was acknowledged is there (%s)",
  { timeout: 240_000 },
  async (kind) => {
    await using folder = await temporaryFolder();
    await using made = await database(kind);
    const moments = random("hub kill", kind);
    const variables = {
      HUB_REGISTRATION: "open",
      ...(made.url !== undefined && { DATABASE_URL: made.url }),
    };
    const start = () => startHub({ data: `${folder.path}/data`, variables });
    const { token } = await (async () => {
      await using hub = await start();
      return await person(hub.url, "ada");
    })();

    let waiting = Array.from({ length: packages * versions }, (_, index) => {
      const [name, number] = [`@ada/package-${index % packages}`, Math.floor(index / packages)];
      // Some of them take a while to write.
      const content = `/* ${moments.next()} ${"x".repeat(moments.int(500_000))} */`;
      return release(name, `1.${number}.0`, content);
    });
    const acknowledged: Release[] = [];
    let killed = 0;
    let inDoubt = 0;
    while (waiting.length > 0) {
      await using hub = await start();
      // What the last hub did not answer: there or not, but not half.
      const rest: Release[] = [];
      for (const each of waiting)
        if (await isPublished(hub.url, each)) {
          expect(await publish({ hub: hub.url, token }, each)).toBe(409);
          acknowledged.push(each);
        } else rest.push(each);

      const unanswered: Release[] = [];
      const queue = [...rest];
      let answers = 0;
      const worker = async (): Promise<void> => {
        for (let each = queue.shift(); each !== undefined; each = queue.shift()) {
          const status = await publish({ hub: hub.url, token }, each).catch(() => undefined);
          if (status === undefined) unanswered.push(each);
          else if (status === 201) acknowledged.push(each);
          else throw new Error(`${each.name}@${each.version} is answered with ${status}.`);
          if (status === 201) answers += 1;
        }
      };
      const publishing = Promise.all(Array.from({ length: 4 }, worker));
      if (killed < kills) {
        // It must have begun, then any moment will do.
        const moment = moments.int(12);
        await vi.waitUntil(() => answers >= moment || queue.length === 0, {
          interval: 1,
          timeout: 60_000,
        });
        await new Promise((resolve) => setTimeout(resolve, moments.int(60)));
        if (queue.length > 0) {
          killed += 1;
          await hub.kill();
        }
      }
      await publishing;
      inDoubt += Math.min(unanswered.length, 4);
      waiting = unanswered;
    }
    expect(killed).toBeGreaterThan(5);
    expect(inDoubt).toBeGreaterThan(5);

    await using hub = await start();
    expect(acknowledged).toHaveLength(packages * versions);
    for (const each of acknowledged) expect(await isPublished(hub.url, each)).toBe(true);

    await using npm = await startClient(clients["npm 11"], { url: hub.url, scope: "ada" });
    const names = Array.from({ length: packages }, (_, index) => `@ada/package-${index}`);
    await npm.does("install", ...names);
  },
);

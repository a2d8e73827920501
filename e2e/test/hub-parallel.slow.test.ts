import { postgresDatabase } from "@envs/hub-server/testing/postgres";
import { s3Bucket, s3Variables } from "@envs/hub-server/testing/s3";
import { expect, test, vi } from "vitest";

import { temporaryFolder } from "./support/command-line.ts";
import { type HubProcess, startHub } from "./support/hub/process.ts";
import {
  isPublished,
  logIn,
  packRelease,
  publish,
  readPackument,
} from "./support/hub/publishing.ts";

/** Starts two hubs that share only a database and an object store. */
async function startReplicas(): Promise<
  { hubs: readonly [HubProcess, HubProcess] } & AsyncDisposable
> {
  await using stack = new AsyncDisposableStack();
  const { path } = stack.use(await temporaryFolder());
  const { url } = stack.use(await postgresDatabase());
  const variables = {
    DATABASE_URL: url,
    HUB_BLOBS: await s3Bucket(),
    HUB_REGISTRATION: "open",
    ...s3Variables,
  };
  const start = async (name: string): Promise<HubProcess> =>
    stack.use(await startHub({ data: `${path}/${name}`, variables }));
  const hubs = [await start("one"), await start("two")] as const;
  const started = stack.move();
  return { hubs, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

test("publishes fifty versions at once through two processes", async () => {
  await using replicas = await startReplicas();
  const [one, two] = replicas.hubs;
  const { name, token } = await logIn(one.url, "ada");
  const releases = Array.from({ length: 50 }, (_, index) =>
    packRelease(`@${name}/package`, `1.${index}.0`, `export const number = ${index};`),
  );
  const statuses = await Promise.all(
    releases.map((release, index) =>
      publish({ hub: replicas.hubs[index % 2]!.url, token }, release),
    ),
  );
  expect(statuses).toEqual(releases.map(() => 201));
  for (const { url } of [one, two]) {
    // A process receives the events of another with a delay.
    await vi.waitFor(
      async () => {
        const { versions } = await readPackument(url, `@${name}/package`);
        expect(Object.keys(versions)).toHaveLength(50);
      },
      { timeout: 120_000 },
    );
    for (const release of releases) expect(await isPublished(url, release)).toBe(true);
  }
});

test("accepts exactly one of two equal versions that are published at once through two processes", async () => {
  await using replicas = await startReplicas();
  const { name, token } = await logIn(replicas.hubs[0].url, "ada");
  for (let round = 0; round < 10; round += 1) {
    const contents = ["one", "other"] as const;
    const both = contents.map((content) =>
      packRelease(`@${name}/package-${round}`, "1.0.0", `export const text = "${content}";`),
    );
    const statuses = await Promise.all(
      both.map((release, index) => publish({ hub: replicas.hubs[index]!.url, token }, release)),
    );
    expect(statuses.toSorted()).toEqual([201, 409]);
    expect(await isPublished(replicas.hubs[0].url, both[statuses.indexOf(201)]!)).toBe(true);
  }
});

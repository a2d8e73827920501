import { postgresDatabase } from "@envs/hub-testing/postgres";
import { s3Bucket, s3Variables } from "@envs/hub-testing/s3";
import { expect, test, vi } from "vitest";

import { temporaryFolder } from "../src/command-line.ts";
import { type HubProcess, startHub } from "../src/hub/process.ts";
import { isPublished, packument, publish, person, release } from "../src/hub/publishing.ts";

/** Two processes that share a database and an object store, and know nothing of each other. */
async function replicas(): Promise<{ hubs: readonly [HubProcess, HubProcess] } & AsyncDisposable> {
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
  const all = stack.move();
  return { hubs, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

test("fifty versions published at once through two processes are all there", async () => {
  await using made = await replicas();
  const [one, two] = made.hubs;
  const { name, token } = await person(one.url, "ada");
  const releases = Array.from({ length: 50 }, (_, index) =>
    release(`@${name}/package`, `1.${index}.0`, `export const number = ${index};`),
  );
  const statuses = await Promise.all(
    releases.map((each, index) => publish({ hub: made.hubs[index % 2]!.url, token }, each)),
  );
  expect(statuses).toEqual(releases.map(() => 201));
  for (const { url } of [one, two]) {
    // A process hears of what another did a moment later.
    await vi.waitFor(
      async () => {
        const { versions } = await packument(url, `@${name}/package`);
        expect(Object.keys(versions)).toHaveLength(50);
      },
      { timeout: 30_000 },
    );
    for (const each of releases) expect(await isPublished(url, each)).toBe(true);
  }
});

test("of two who publish the same version at once through two processes, exactly one does", async () => {
  await using made = await replicas();
  const { name, token } = await person(made.hubs[0].url, "ada");
  for (let round = 0; round < 10; round += 1) {
    const contents = ["one", "other"] as const;
    const both = contents.map((content) =>
      release(`@${name}/package-${round}`, "1.0.0", `export const text = "${content}";`),
    );
    const statuses = await Promise.all(
      both.map((each, index) => publish({ hub: made.hubs[index]!.url, token }, each)),
    );
    expect(statuses.toSorted()).toEqual([201, 409]);
    expect(await isPublished(made.hubs[0].url, both[statuses.indexOf(201)]!)).toBe(true);
  }
});

import { postgresDatabase } from "@envs/hub-server/testing/postgres";
import { s3Bucket, s3Variables } from "@envs/hub-server/testing/s3";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { temporaryFolder } from "./support/command-line.ts";
import { type HubProcess, startHub } from "./support/hub/process.ts";
import {
  isPublished,
  logIn,
  packRelease,
  publish,
  readPackument,
} from "./support/hub/publishing.ts";

const stack = new AsyncDisposableStack();
/** Two hubs that share only a database and an object store. */
let hubs: readonly [HubProcess, HubProcess];
let token: string;

beforeAll(async () => {
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
  hubs = [await start("one"), await start("two")];
  ({ token } = await logIn(hubs[0].url, "ada"));
});

afterAll(() => stack.disposeAsync());

test("publishes fifty versions at once through two processes", async () => {
  const releases = Array.from({ length: 50 }, (_, index) =>
    packRelease("@ada/package", `1.${index}.0`, `export const number = ${index};`),
  );
  const statuses = await Promise.all(
    releases.map((release, index) => publish({ hub: hubs[index % 2]!.url, token }, release)),
  );
  expect(statuses).toEqual(releases.map(() => 201));
  for (const { url } of hubs) {
    // A process receives the events of another with a delay.
    await vi.waitFor(
      async () => {
        const { versions } = await readPackument(url, "@ada/package");
        expect(Object.keys(versions)).toHaveLength(50);
      },
      { timeout: 120_000 },
    );
    for (const release of releases) expect(await isPublished(url, release)).toBe(true);
  }
});

test("accepts exactly one of two equal versions that are published at once through two processes", async () => {
  for (let round = 0; round < 10; round += 1) {
    const contents = ["one", "other"] as const;
    const both = contents.map((content) =>
      packRelease(`@ada/package-${round}`, "1.0.0", `export const text = "${content}";`),
    );
    const statuses = await Promise.all(
      both.map((release, index) => publish({ hub: hubs[index]!.url, token }, release)),
    );
    expect(statuses.toSorted()).toEqual([201, 409]);
    expect(await isPublished(hubs[0].url, both[statuses.indexOf(201)]!)).toBe(true);
  }
});

import type { Rollout } from "@envs/core";
import { createSummarizer, factsOf } from "@envs/core/engine";
import { hubClient } from "@envs/hub-client";
import * as fc from "fast-check";
import { afterEach, beforeAll, describe, expect, test } from "vitest";

import { summarize } from "../src/evaluations/runs/summarize.ts";
import { wrongTotals } from "../src/operations/storage-totals.ts";
import { sweepBlobs } from "../src/operations/sweep-blobs.ts";
import { sweep } from "../src/operations/sweep.ts";
import { verifyBlobs } from "../src/operations/verify-blobs.ts";
import { databases } from "./support/hub.ts";
import { environmentManifest } from "./support/manifest.ts";
import { publishOrThrow } from "./support/publish.ts";
import { compressed, pushRun, testRollout, testRun } from "./support/runs.ts";
import { sharedHub, sharedUser } from "./support/shared-hub.ts";

const day = 24 * 3_600_000;
const name = "@ada/chess";
let seed = 0;

/** Rollouts of up to six examples, some of them failed, without repetitions. */
const rollouts: fc.Arbitrary<readonly Rollout[]> = fc
  .uniqueArray(
    fc.record({
      example: fc.nat(5),
      rollout: fc.nat(3),
      win: fc.double({ min: -1, max: 1, noNaN: true }),
      isFailed: fc.boolean(),
      tokens: fc.nat(1000),
    }),
    { minLength: 1, maxLength: 20, selector: ({ example, rollout }) => `${example}-${rollout}` },
  )
  .map((played) =>
    played.map(({ example, rollout, win, isFailed, tokens }) =>
      testRollout({
        example,
        rollout,
        scores: { win: win + 0 },
        usage: { inputTokens: tokens, outputTokens: 1 },
        ...(isFailed ? { error: "model" as const } : {}),
      }),
    ),
  );

describe.each(databases)("uploads on the %s database", (kind) => {
  // The embedded database takes three times as long for the same SQL.
  const numRuns = kind === "embedded" ? 5 : 15;
  const server = sharedHub(kind, { HUB_LIMITS: "off" });
  const ada = sharedUser(server, "ada");
  const database = () => server.hub.database;

  beforeAll(async () => {
    await publishOrThrow(server, name, { as: ada });
    const { id } = await database().selectFrom("versions").select("id").executeTakeFirstOrThrow();
    const manifest = JSON.stringify(environmentManifest(`sha256-${"0".repeat(64)}`));
    await database().insertInto("environments").values({ version_id: id, manifest }).execute();
  });

  afterEach(async () => expect(await wrongTotals(database())).toEqual([]));

  const newRun = (played: readonly Rollout[], partLines: number) => {
    seed += 1;
    return testRun(server, name, played, { partLines, seed });
  };
  const client = () => hubClient({ url: server.url, token: ada.token });
  const visibleRuns = async () => (await client().listRuns({ name, limit: 1 })).total;
  const rowsLeft = async () =>
    await Promise.all(
      (["runs", "run_parts", "rollouts", "run_metrics", "run_badges"] as const).map(
        async (table) => (await database().selectFrom(table).selectAll().execute()).length,
      ),
    );

  test("computes the numbers that core computes from the same rollouts", async () => {
    await fc.assert(
      fc.asyncProperty(rollouts, fc.integer({ min: 1, max: 5 }), async (played, partLines) => {
        const id = await pushRun(server, ada, await newRun(played, partLines));
        const { summary } = await client().readRun({ run: id });
        const expected = createSummarizer(["win"]);
        for (const rollout of played) expected.add(rollout);
        const { counts, reward, passAtK, passHatK, histogram, usage, failures, turns } =
          expected.summary();
        expect(summary).toMatchObject({ counts, passAtK, passHatK, histogram, usage, failures });
        expect(summary).toMatchObject({ reward, turns });
        const local = summarize(played.map(factsOf), {
          passThreshold: 0.5,
          price: null,
          failedReward: 0,
        });
        expect(summary.interval).toEqual(local.interval);
        await client().deleteRun({ run: id });
      }),
      { numRuns },
    );
  });

  test("shows nothing of an upload that ends after any request, and leaves nothing after a day", async () => {
    const before = await rowsLeft();
    const visible = await visibleRuns();
    await fc.assert(
      fc.asyncProperty(rollouts, fc.nat(10), async (played, sent) => {
        const run = await newRun(played, 2);
        const { id, missing } = await client().createRun(run.upload);
        for (const part of missing.slice(0, sent))
          await client().uploadRunPart({ run: id, part, content: compressed(run.parts[part]!) });
        expect(await visibleRuns()).toBe(visible);
        await expect(client().readRun({ run: id })).rejects.toMatchObject({ status: 404 });
        await expect(client().readRollouts({ run: id })).rejects.toMatchObject({ status: 404 });
        server.advanceClock(2 * day);
        await sweep(server.hub);
        expect(await rowsLeft()).toEqual(before);
      }),
      { numRuns },
    );
  });

  test("gives a resumed upload the numbers and rows of an uncut one", async () => {
    await fc.assert(
      fc.asyncProperty(rollouts, fc.nat(10), async (played, sent) => {
        const run = await newRun(played, 2);
        const { id, missing } = await client().createRun(run.upload);
        // Sends the parts in another order, and twice.
        for (const part of missing.toReversed().slice(0, sent))
          for (const _ of [1, 2])
            await client().uploadRunPart({
              run: id,
              part,
              content: compressed(run.parts[part]!),
            });
        expect(await pushRun(server, ada, run)).toBe(id);
        const resumed = await client().readRun({ run: id });
        const { items } = await client().readRollouts({ run: id });
        await client().deleteRun({ run: id });
        const uncut = await client().readRun({ run: await pushRun(server, ada, run) });
        expect(resumed.summary).toEqual(uncut.summary);
        expect((await client().readRollouts({ run: uncut.id })).items).toEqual(items);
        await client().deleteRun({ run: uncut.id });
      }),
      { numRuns },
    );
  });

  test("sweeps the blobs of deleted runs and of abandoned uploads, and keeps those of complete runs", async () => {
    const kept = await newRun([testRollout({ reply: "kept" })], 1);
    const id = await pushRun(server, ada, kept);
    const gone = await newRun([testRollout({ reply: "gone" })], 1);
    await client().deleteRun({ run: await pushRun(server, ada, gone) });
    const abandoned = await newRun([testRollout({ reply: "abandoned" })], 1);
    const upload = await client().createRun(abandoned.upload);
    const content = compressed(abandoned.parts[0]!);
    await client().uploadRunPart({ run: upload.id, part: 0, content });
    const { blobs } = server.hub;
    const keys = async () => (await Array.fromAsync(blobs.list())).map(({ key }) => key);
    const blobOf = async (run: string) =>
      (
        await database()
          .selectFrom("run_parts")
          .where("run_id", "=", run)
          .select("blob")
          .executeTakeFirstOrThrow()
      ).blob;
    const [keptBlob, abandonedBlob] = [await blobOf(id), await blobOf(upload.id)];
    server.advanceClock(3 * day);
    await sweep(server.hub);
    await sweepBlobs(server.hub);
    const left = await keys();
    expect(left).toContain(keptBlob);
    expect(left).not.toContain(abandonedBlob);
    expect((await client().readRollouts({ run: id })).items).toHaveLength(1);
  });

  test("names the run of a damaged part", async () => {
    const run = await newRun([testRollout({ reply: "damaged" })], 1);
    const id = await pushRun(server, ada, run);
    const { blob } = await database()
      .selectFrom("run_parts")
      .where("run_id", "=", id)
      .select("blob")
      .executeTakeFirstOrThrow();
    await server.hub.blobs.delete(blob ?? "");
    const { damaged } = await verifyBlobs({
      database: database(),
      blobs: { ...server.hub.blobs, get: async (key) => await rawBlob(key) },
    });
    expect(damaged).toContainEqual(expect.objectContaining({ run: id, damage: "missing", name }));
    await expect(client().readRollout({ run: id, position: 0 })).rejects.toMatchObject({
      code: "tarball-damaged",
    });
  });

  /** The store of a hub throws for a missing blob; the command reads the store below it. */
  async function rawBlob(key: string): Promise<Uint8Array | undefined> {
    return await server.hub.blobs.get(key).catch(() => undefined);
  }
});

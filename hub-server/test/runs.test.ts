import { createSummarizer } from "@envs/core/engine";
import { hubClient } from "@envs/hub-client";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";

import { databases } from "./support/hub.ts";
import { compressed, pushRun, testPart, testRollout, testRun } from "./support/runs.ts";
import { seedEnvironment } from "./support/seed-environment.ts";
import { sharedHub, sharedUser } from "./support/shared-hub.ts";

const rollouts = Array.from({ length: 12 }, (_, index) =>
  testRollout({
    example: Math.floor(index / 2),
    rollout: index % 2,
    scores: { win: Number(index % 3 === 0) },
    ...(index === 5 ? { error: "model" as const } : {}),
  }),
);

describe.each(databases)("runs on the %s database", (kind) => {
  const server = sharedHub(kind, { HUB_LIMITS: "off" });
  const ada = sharedUser(server, "ada");
  const bob = sharedUser(server, "bob");
  let count = 0;
  let name = "";

  beforeAll(async () => {
    const scores = [{ name: "win", weight: 1, isGroup: false, range: [0, 1] as [number, number] }];
    name = (await seedEnvironment(server.hub, ada, { bare: "chess", manifest: { scores } })).name;
  });
  beforeEach(() => void (count += 1));

  /** A run that differs from those of other tests. */
  const newRun: typeof testRun = (hub, packageName, played, fields) =>
    testRun(hub, packageName, played, { details: { test: count }, ...fields });
  const anonymous = () => hubClient({ url: server.url });
  const rowCounts = async () => {
    const { database } = server.hub;
    const tables = ["runs", "run_parts", "rollouts", "run_metrics"] as const;
    return await Promise.all(
      tables.map(async (table) => (await database.selectFrom(table).selectAll().execute()).length),
    );
  };

  test("computes the numbers of a pushed run and returns its rollouts", async () => {
    const run = await newRun(server, name, rollouts, {
      partLines: 5,
      price: { input: 2, output: 5 },
    });
    const id = await pushRun(server, ada, run);
    const client = anonymous();
    const { summary, recipe, owner, badges } = await client.readRun({ run: id });
    const expected = createSummarizer(["win"]);
    for (const rollout of rollouts) expected.add(rollout);
    const { counts, reward, histogram, passAtK, usage, failures } = expected.summary();
    expect(summary).toMatchObject({ counts, reward, histogram, passAtK, usage, failures });
    expect(summary).toMatchObject({ examples: 6, cost: (120 * 2 + 24 * 5) / 1e6 });
    expect(summary.counts).toMatchObject({ scored: 11, failed: 1 });
    expect(summary.interval?.low).toBeLessThan(reward.mean!);
    expect(recipe).toMatchObject({ package: name, version: "1.0.0", model: "policy:optimal" });
    expect([owner, badges.map((badge) => badge.name)]).toEqual(["ada", ["uploaded"]]);
    const { items, next } = await client.listRollouts({ run: id, from: 4, limit: 3 });
    expect(items.map(({ position, reward }) => [position, reward])).toEqual([
      [4, 0],
      [5, null],
      [6, 1],
    ]);
    expect([items[1]?.error?.code, next]).toEqual(["model", 7]);
    const rows = await client.readRollouts({ run: id, from: 4, limit: 2 });
    expect(rows.items).toEqual(run.parts.flatMap(({ text }) => lines(String(text))).slice(4, 6));
    expect(await client.readRollout({ run: id, position: 11 })).toEqual(
      lines(String(run.parts[2]!.text)).at(-1),
    );
    await expect(client.readRollout({ run: id, position: 12 })).rejects.toMatchObject({
      status: 404,
    });
  });

  test("computes costs by the prices of caches, and keeps where the prices come from", async () => {
    const usage = { inputTokens: 100, outputTokens: 2, cacheReadTokens: 60, cacheWriteTokens: 30 };
    const played = [
      testRollout({ example: 0, usage }),
      testRollout({ example: 1, usage: { inputTokens: 100, outputTokens: 2 } }),
    ];
    const price = { input: 2, output: 5, cacheRead: 0.2, cacheWrite: 2.5, source: "genai-prices" };
    const run = await newRun(server, name, played, { price });
    const id = await pushRun(server, ada, run);
    const client = anonymous();
    const { summary, recipe } = await client.readRun({ run: id });
    const costs = [10 * 2 + 60 * 0.2 + 30 * 2.5 + 2 * 5, 100 * 2 + 2 * 5].map((sum) => sum / 1e6);
    expect(recipe.price).toEqual(price);
    expect(summary.cost).toBeCloseTo(costs[0]! + costs[1]!, 12);
    expect(summary.usage).toMatchObject({ cacheReadTokens: 60, cacheWriteTokens: 30 });
    const { items } = await client.listRollouts({ run: id });
    for (const [index, { cost }] of items.entries()) expect(cost).toBeCloseTo(costs[index]!, 12);
    const page = await (await fetch(`${server.url}/run/${id}`)).text();
    expect(page).toContain("0.2 read from a cache, 2.5 written to a cache");
  });

  test("does not show an upload before it is complete", async () => {
    const run = await newRun(server, name, rollouts, { partLines: 5 });
    const client = hubClient({ url: server.url, token: ada.token });
    const { id, state, missing } = await client.createRun(run.upload);
    expect([state, missing]).toEqual(["uploading", [0, 1, 2]]);
    await client.uploadRunPart({ run: id, part: 1, content: compressed(run.parts[1]!) });
    await expect(client.readRun({ run: id })).rejects.toMatchObject({ status: 404 });
    await expect(client.listRollouts({ run: id })).rejects.toMatchObject({ status: 404 });
    await expect(client.completeRun({ run: id })).rejects.toMatchObject({
      code: "run-incomplete",
      message: expect.stringContaining("2 of its parts: 0, 2"),
    });
    expect(await client.createRun(run.upload)).toMatchObject({ id, missing: [0, 2] });
    await client.deleteRun({ run: id });
  });

  test("rejects a training with more metrics than a page can read", async () => {
    const run = await newRun(server, name, rollouts);
    const metrics = { ...run.upload.parts[0]!, kind: "metrics", lines: 5000 } as const;
    const client = hubClient({ url: server.url, token: ada.token });
    await expect(
      client.createRun({ ...run.upload, parts: Array.from({ length: 41 }, () => metrics) }),
    ).rejects.toThrow("has 205000 rows of metrics, more than 200000");
  });

  test("returns the first run for a repeated upload and accepts repeated parts", async () => {
    const run = await newRun(server, name, rollouts);
    const id = await pushRun(server, ada, run);
    const before = await rowCounts();
    expect(await pushRun(server, ada, run)).toBe(id);
    const client = hubClient({ url: server.url, token: ada.token });
    await client.uploadRunPart({ run: id, part: 0, content: compressed(run.parts[0]!) });
    expect(await rowCounts()).toEqual(before);
    await expect(pushRun(server, bob, run)).rejects.toMatchObject({
      code: "run-exists",
      message: expect.stringContaining(`/run/${id}`),
    });
  });

  test("shows one of two copies that users upload at the same time", async () => {
    const run = await newRun(server, name, rollouts);
    const [first, second] = [ada, bob].map(({ token }) => hubClient({ url: server.url, token }));
    const content = compressed(run.parts[0]!);
    const { id } = await first!.createRun(run.upload);
    const copy = await second!.createRun(run.upload);
    await first!.uploadRunPart({ run: id, part: 0, content });
    await second!.uploadRunPart({ run: copy.id, part: 0, content });
    await first!.completeRun({ run: id });
    await expect(second!.completeRun({ run: copy.id })).rejects.toMatchObject({
      code: "run-exists",
      message: expect.stringContaining(`/run/${id}`),
    });
    await expect(second!.deleteRun({ run: copy.id })).rejects.toMatchObject({ status: 404 });
  });

  test.each([
    ["is not gzip", () => Buffer.from("no gzip"), "it is not gzip"],
    ["has another hash", () => compressed(testPart(["[]"])), "bytes instead of"],
    [
      "is longer than announced",
      () => compressed(testPart(["x".repeat(100_000)])),
      "more than the announced",
    ],
  ])("keeps an upload after a part that %s", async (_, content, reason) => {
    const run = await newRun(server, name, rollouts);
    const client = hubClient({ url: server.url, token: ada.token });
    const { id } = await client.createRun(run.upload);
    const broken = client.uploadRunPart({ run: id, part: 0, content: new Uint8Array(content()) });
    await expect(broken).rejects.toMatchObject({
      code: "run-part-invalid",
      message: expect.stringContaining(reason),
    });
    expect(await pushRun(server, ada, run)).toBe(id);
  });

  const good = rollouts[0]!;
  test.each([
    ["another environment's record", [testRollout({ environment: "go" })], 'rollout of "go"'],
    [
      "a score outside its range",
      [testRollout({ scores: { win: 2 } })],
      "outside its range [0, 1]",
    ],
    [
      "an unknown score",
      [testRollout({ scores: { win: 1, style: 0 } })],
      '"style", which the environment lacks',
    ],
    ["a reward that is not the weighted sum", [testRollout({ reward: 0.5 })], "The reward is 0.5"],
    ["a repeated rollout", [good, good], "repeats the example"],
    [
      "a key that is not its example's",
      [{ ...good, exampleKey: "0123456789abcdef" }],
      "neither the id nor the hash",
    ],
    [
      "tokens that its turns lack",
      [{ ...good, usage: { inputTokens: 1, outputTokens: 1 } }],
      "token_usage is 1 + 1",
    ],
    ["a negative index", [{ ...good, rolloutIndex: -1 }], "rollout_index is -1"],
  ])("deletes an upload with %s", async (_, played, reason) => {
    const before = await rowCounts();
    const run = await newRun(server, name, played);
    await expect(pushRun(server, ada, run)).rejects.toMatchObject({
      code: "run-record-invalid",
      message: expect.stringContaining(reason),
    });
    expect(await rowCounts()).toEqual(before);
  });

  test.each([
    ["rollouts", { rollouts: 13 }],
    ["scored rollouts", { scored: 12 }],
    ["mean reward", { reward: 1 }],
    ["tokens", { outputTokens: 0 }],
  ])("deletes an upload with other %s than announced", async (_, lie) => {
    const before = await rowCounts();
    const run = await newRun(server, name, rollouts);
    const upload = { ...run.upload, totals: { ...run.upload.totals, ...lie } };
    await expect(pushRun(server, ada, { ...run, upload })).rejects.toMatchObject({
      code: "run-totals",
    });
    expect(await rowCounts()).toEqual(before);
  });

  test("rejects a run of an edited package, of a missing version and of a package without a manifest", async () => {
    const run = await newRun(server, name, rollouts);
    const { name: plain } = await seedEnvironment(server.hub, ada, {
      bare: `plain${kind}`,
      manifest: null,
    });
    const cases = [
      [{ integrity: "sha512-other" }, "run-integrity"],
      [{ contentHash: "sha256-other" }, "run-integrity"],
      [{ version: "9.9.9" }, "not-found"],
      [{ package: plain }, "run-not-environment"],
    ] as const;
    for (const [fields, code] of cases)
      await expect(
        pushRun(server, ada, { ...run, upload: { ...run.upload, ...fields } }),
      ).rejects.toMatchObject({ code });
  });
});

function lines(text: string): unknown[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
}

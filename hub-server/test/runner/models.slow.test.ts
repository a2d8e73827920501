import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { isHubRequestError } from "@envs/hub-client";
import { modelServer, type ModelServer } from "@envs/models/testing";
import { afterAll, describe, expect, it, vi } from "vitest";

import { anyDatabase, type TestUser } from "../support/hub.ts";
import { playLies } from "../support/lies/play-lies.ts";
import { publishOrThrow } from "../support/publish.ts";
import { sharedHub } from "../support/shared-hub.ts";
import { playStage } from "./play-stage.ts";

const key = "sk-secret-of-the-operator";
let upstream: ModelServer;
let folder: string;

/** Writes the operator's file of models. */
async function settings() {
  vi.stubEnv("TEST_MODEL_KEY", key);
  upstream = await modelServer({ answer: () => "move 4" });
  const price = { input: 1, output: 10 };
  const model = "model";
  const endpoint = {
    model,
    baseURL: upstream.url,
    apiKeyVariable: "TEST_MODEL_KEY",
    price,
    maxTokens: 100,
  };
  const models = {
    "gpt-test": endpoint,
    "gpt-dear": { ...endpoint, price: { input: 1, output: 1e6 } },
    "gpt-private": { ...endpoint, users: ["ada"], maxRollouts: 20 },
    "gpt-down": { ...endpoint, baseURL: "http://127.0.0.1:9/v1" },
  };
  folder = await mkdtemp(join(tmpdir(), "envs-models-"));
  const path = join(folder, "models.json");
  await writeFile(path, JSON.stringify({ costPerUserAndDay: 1, models }));
  return { HUB_LIMITS: "off", HUB_PLAY_SECONDS: "600", HUB_PLAY_WORKERS: "2", HUB_MODELS: path };
}

const server = sharedHub(anyDatabase, settings);
const { ada, bob, carol, push, clientOf, resultOf, playedRun } = playStage(server);

afterAll(async () => {
  await upstream.close();
  await rm(folder, { recursive: true });
  vi.unstubAllEnvs();
});

const costOf = async (owner: number) =>
  (
    await server.hub.database
      .selectFrom("replay_usage")
      .where("owner_id", "=", owner)
      .where("queue", "=", "play")
      .select("cost")
      .executeTakeFirst()
  )?.cost ?? 0;

describe("a model on a server that the operator configured", () => {
  it("plays, and costs its requester the tokens that the server reports", async () => {
    const { id } = await push({ model: "gpt-test", sampling: { temperature: 0 } });
    await clientOf(bob).requestPlay({ run: id });
    const run = await clientOf().readRun({ run: await playedRun(id) });
    expect(run).toMatchObject({
      owner: "hub",
      recipe: { model: "gpt-test", price: { source: "the operator of this hub" } },
      summary: { counts: { scored: 20 } },
    });
    expect((await clientOf().readRun({ run: id })).badges.at(-1)).toMatchObject({
      name: "reproduced",
      evidence: { by: ["hub"] },
    });
    expect(run.summary.cost).toBeGreaterThan(0);
    expect(await costOf(bob.id)).toBeCloseTo(run.summary.cost ?? 0, 9);
    const rows = await (await server.request(`/run/${run.id}/results.jsonl`)).text();
    expect(rows).not.toContain(key);
  });

  it("is not asked when the most that a reply can cost exceeds the budget of the day", async () => {
    const { id } = await push({ model: "gpt-dear" });
    const { requests } = upstream;
    await clientOf(ada).requestPlay({ run: id });
    expect(await resultOf(id)).toMatchObject({
      outcome: "failed",
      code: "cost",
      reason: expect.stringContaining("exceeds the rest of today's 1 for ada") as string,
    });
    expect(upstream.requests).toBe(requests);
    expect(await costOf(ada.id)).toBe(0);
  });

  it("ends a play without the server's address when the server is unreachable", async () => {
    const { id } = await push({ model: "gpt-down" });
    await clientOf(ada).requestPlay({ run: id });
    const result = await resultOf(id);
    expect(result).toMatchObject({ outcome: "failed", code: "model" });
    expect(JSON.stringify(result)).not.toContain("127.0.0.1");
  });

  it.each([
    ["another name", { model: "GPT-test" }, /does not play "GPT-test"/],
    ["a user that the operator excludes", { model: "gpt-private" }, /does not let bob play/],
    [
      "too long replies",
      { model: "gpt-test", sampling: { max_tokens: 101 } },
      /up to 101 tokens\. This hub permits 100/,
    ],
  ])("refuses %s", async (_, run, reason) => {
    const { id } = await push(run);
    expect(await clientOf(bob).readPlay({ run: id })).toEqual({
      outcome: "impossible",
      reason: expect.stringMatching(reason) as string,
    });
  });

  it("permits the users that the operator names", async () => {
    const { id } = await push({ model: "gpt-private" });
    expect(await clientOf(ada).readPlay({ run: id })).toEqual({ outcome: "possible" });
    const many = await push({ model: "gpt-private", examples: 11 });
    expect(await clientOf(ada).readPlay({ run: many.id })).toMatchObject({
      reason: expect.stringContaining("22 rollouts. This hub plays at most 20") as string,
    });
  });
});

/** What the hub answers to a user who requests a play. */
async function answerOf(id: string, user: TestUser): Promise<string> {
  try {
    await clientOf(user).requestPlay({ run: id });
  } catch (error) {
    if (isHubRequestError(error)) return error.code;
    throw error;
  }
  const result = await resultOf(id);
  const page = await (await server.request(`/run/${id}`)).text();
  if (result.outcome === "failed") {
    expect(page).toContain("The hub did not finish its play of this run");
    // A failed play can be requested again.
    expect(await clientOf(user).requestPlay({ run: id })).toEqual({ outcome: "waiting" });
    return `the play ends: \`${result.code}\``;
  }
  return page.includes("disagrees: the intervals do not overlap")
    ? "the hub's run disagrees"
    : JSON.stringify(result);
}

describe("the hub's answer to a user who", () => {
  it.each(playLies.map((lie) => [lie.name, lie.answer, lie] as const))(
    "%s → %s",
    async (_, answer, { run, by }) => {
      const { id } = await push(run);
      expect(await answerOf(id, by === "stranger" ? carol : bob)).toBe(answer);
    },
  );
});

describe("a published tiny model", () => {
  const weights = join(import.meta.dirname, "../../../packages/tiny-tictactoe/model.safetensors");

  it("plays in another process than the hub", async () => {
    await publishOrThrow(server, "@ada/tiny-talk", {
      as: ada,
      files: { "model.safetensors": await readFile(weights) },
    });
    const sampling = { temperature: 1, max_tokens: 4 };
    const { id } = await push({ model: "tiny:@ada/tiny-talk", sampling });
    await clientOf(bob).requestPlay({ run: id });
    const run = await clientOf().readRun({ run: await playedRun(id) });
    expect(run).toMatchObject({ owner: "hub", summary: { counts: { scored: 20 } } });
    expect(run.summary.usage.outputTokens).toBeLessThanOrEqual(80);
  });

  it("ends the play with a code when its file is not a model", async () => {
    await publishOrThrow(server, "@ada/tiny-noise", {
      as: ada,
      files: { "model.safetensors": "noise" },
    });
    const { id } = await push({ model: "tiny:@ada/tiny-noise" });
    await clientOf(bob).requestPlay({ run: id });
    expect(await resultOf(id)).toMatchObject({ outcome: "failed", code: "model" });
  });

  it("is refused when no public package has its name", async () => {
    const { id } = await push({ model: "tiny:absent" });
    expect(await clientOf().readPlay({ run: id })).toMatchObject({
      outcome: "impossible",
      reason: expect.stringContaining("no public package @envs/tiny-absent or absent") as string,
    });
  });
});

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Environment } from "@envs/core";
import { type Answer, modelServer, policyAnswer } from "@envs/core/testing";
import reverseText from "@envs/reverse-text";
import tictactoe from "@envs/tictactoe";
import wikiSearch from "@envs/wiki-search";
import { describe, expect, test } from "vitest";

import { nemoRows, serve } from "../../src/index.ts";
import {
  firstFree,
  halfReversed,
  inCore,
  observing,
  observingPolicy,
  responding,
  speaking,
} from "./players.ts";
import { runScript } from "./python.ts";

type Results = readonly {
  readonly reward: number;
  readonly metrics: Readonly<Record<string, number>>;
  readonly errors: readonly unknown[];
}[];

const count = 3;
const train = { split: "train", examples: count };
const oracle = policyAnswer(wikiSearch(), "oracle", train);

const rewardsOf = (all: readonly { readonly reward: number }[]) => all.map(({ reward }) => reward);

describe("verifiers evaluates a model on rows, by its taskset for NeMo Gym", () => {
  const evaluate = async (environment: Environment, answer: Answer): Promise<Results> => {
    await using server = await serve([environment], { port: 0 });
    await using model = await modelServer({ answer });
    const folder = await mkdtemp(join(tmpdir(), "nemo-"));
    try {
      const file = join(folder, "rows.jsonl");
      const rows = await Array.fromAsync(nemoRows(environment, { count }), (row) =>
        JSON.stringify(row),
      );
      await writeFile(file, `${rows.join("\n")}\n`);
      const args = [server.url, model.url, environment.name, file];
      return (await runScript("verifiers_nemo_gym.py", args)) as Results;
    } finally {
      await rm(folder, { recursive: true });
    }
  };
  const numbers = (scores: Readonly<Record<string, number | null>>) =>
    Object.fromEntries(Object.entries(scores).filter(([, score]) => score !== null));

  test.each<[string, Environment, Answer, Answer, string?]>([
    ["one reply", reverseText(), speaking(halfReversed), speaking(halfReversed)],
    ["a game", tictactoe(), responding(firstFree), speaking(firstFree)],
    ["tools", wikiSearch(), oracle, oracle, "train"],
  ])("with the rewards and scores of core: %s", async (_, environment, answer, same, split) => {
    const core = await inCore(environment, { answer: same, count, ...(split && { split }) });
    const results = await evaluate(environment, answer);
    expect(results.flatMap(({ errors }) => errors)).toEqual([]);
    expect(rewardsOf(results)).toEqual(rewardsOf(core));
    expect(results.map(({ metrics }) => metrics)).toEqual(
      core.map(({ scores }) => ({ ...numbers(scores), is_truncated: 0 })),
    );
  });
});

describe("verifiers evaluates a model in play, by its taskset for OpenEnv", () => {
  const evaluate = async (environment: Environment, answer: Answer): Promise<Results> => {
    await using server = await serve([environment], { port: 0 });
    await using model = await modelServer({ answer });
    const resets = Array.from({ length: count }, (__, index) => ({ split: "train", index }));
    const args = [server.url, model.url, environment.name, JSON.stringify(resets)];
    return (await runScript("verifiers_openenv.py", args)) as Results;
  };

  test.each<[string, Environment, Answer, Answer, string?]>([
    ["one reply", reverseText(), observing(halfReversed), speaking(halfReversed)],
    ["a game", tictactoe(), observing(firstFree), speaking(firstFree)],
    ["tools", wikiSearch(), observingPolicy(wikiSearch(), "oracle", train), oracle, "train"],
  ])("with the rewards of core: %s", async (_, environment, answer, same, split) => {
    const core = await inCore(environment, { answer: same, count, ...(split && { split }) });
    const results = await evaluate(environment, answer);
    expect(results.flatMap(({ errors }) => errors)).toEqual([]);
    expect(rewardsOf(results)).toEqual(rewardsOf(core));
  });
});

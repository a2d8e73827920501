import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Environment } from "@envs/core";
import { type ReplyFunction, modelServer, policyAnswer } from "@envs/core/testing";
import reverseText from "@envs/reverse-text";
import tictactoe from "@envs/tictactoe";
import wikiSearch from "@envs/wiki-search";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

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

/** An environment, what answers over each taskset, and what answers in core. */
interface Case {
  readonly environment: Environment;
  readonly rows: ReplyFunction;
  readonly play: ReplyFunction;
  readonly core: ReplyFunction;
  readonly split?: string;
}

const count = 2;
const train = { split: "train", examples: count };
const oracle = policyAnswer(wikiSearch(), "oracle", train);
const cases: Readonly<Record<string, Case>> = {
  "one reply": {
    environment: reverseText(),
    rows: speaking(halfReversed),
    play: observing(halfReversed),
    core: speaking(halfReversed),
  },
  "a game": {
    environment: tictactoe(),
    rows: responding(firstFree),
    play: observing(firstFree),
    core: speaking(firstFree),
  },
  tools: {
    environment: wikiSearch(),
    rows: oracle,
    play: observingPolicy(wikiSearch(), "oracle", train),
    core: oracle,
    split: "train",
  },
};
const names = Object.keys(cases);

/** What verifiers found in one process, over rows and in play: each start of it takes seconds. */
const found = { rows: new Map<string, Results>(), play: new Map<string, Results>() };
const closing: AsyncDisposable[] = [];

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), "nemo-"));
  closing.push({ [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) });
  const evaluations: object[] = [];
  for (const [at, { environment, rows, play }] of Object.values(cases).entries()) {
    const server = await serve([environment], { port: 0 });
    const models = [await modelServer({ answer: rows }), await modelServer({ answer: play })];
    closing.push(server, ...models);
    const file = join(folder, `${at}.jsonl`);
    const made = await Array.fromAsync(nemoRows(environment, { count }), (row) =>
      JSON.stringify(row),
    );
    await writeFile(file, `${made.join("\n")}\n`);
    const { name } = environment;
    evaluations.push(
      {
        model: models[0]!.url,
        seat: "agent",
        taskset: {
          id: "nemo-gym",
          dataset: file,
          task: { resources_url: `${server.url}/nemo/${name}` },
        },
      },
      {
        model: models[1]!.url,
        seat: "player",
        taskset: {
          id: "openenv",
          base_url: `${server.url}/${name}`,
          resets: Array.from({ length: count }, (_, index) => ({ split: "train", index })),
        },
      },
    );
  }
  const all = await runScript("verifiers_tasksets.py", [JSON.stringify(evaluations)]);
  for (const [at, results] of (all as readonly Results[]).entries())
    found[at % 2 === 0 ? "rows" : "play"].set(names[Math.floor(at / 2)]!, results);
});

afterAll(async () => {
  for (const each of closing.splice(0).toReversed()) await each[Symbol.asyncDispose]();
});

async function expectAsInCore(name: string, results: Results) {
  const { environment, core: answer, split } = cases[name]!;
  const core = await inCore(environment, { answer, count, ...(split && { split }) });
  expect(results.flatMap(({ errors }) => errors)).toEqual([]);
  expect(results.map(({ reward }) => reward)).toEqual(core.map(({ reward }) => reward));
  return core;
}

const numbers = (scores: Readonly<Record<string, number | null>>) =>
  Object.fromEntries(Object.entries(scores).filter(([, score]) => score !== null));

describe("verifiers evaluates a model", () => {
  test.each(names)(
    "on rows, by its taskset for NeMo Gym, with the rewards and scores of core: %s",
    async (name) => {
      const results = found.rows.get(name)!;
      const core = await expectAsInCore(name, results);
      expect(results.map(({ metrics }) => metrics)).toEqual(
        core.map(({ scores }) => ({ ...numbers(scores), is_truncated: 0 })),
      );
    },
  );

  test.each(names)(
    "in play, by its taskset for OpenEnv, with the rewards of core: %s",
    async (name) => {
      await expectAsInCore(name, found.play.get(name)!);
    },
  );
});

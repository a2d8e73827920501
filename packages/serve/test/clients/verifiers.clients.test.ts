import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Environment } from "@envs/core";
import { type ReplyFunction } from "@envs/core/testing";
import { modelServer, policyAnswer } from "@envs/models/testing";
import reverseText from "@envs/reverse-text";
import tictactoe from "@envs/tictactoe";
import wikiSearch from "@envs/wiki-search";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { nemoRows, serve } from "../../src/index.ts";
import {
  firstFree,
  halfReversed,
  openenvModel,
  openenvPolicy,
  playInCore,
  respondModel,
  textModel,
} from "./players.ts";
import { runScript } from "./python.ts";

type Results = readonly {
  readonly reward: number;
  readonly metrics: Readonly<Record<string, number>>;
  readonly errors: readonly unknown[];
}[];

/** An environment, and the models that play it over each taskset and in core. */
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
    rows: textModel(halfReversed),
    play: openenvModel(halfReversed),
    core: textModel(halfReversed),
  },
  "a game": {
    environment: tictactoe(),
    rows: respondModel(firstFree),
    play: openenvModel(firstFree),
    core: textModel(firstFree),
  },
  tools: {
    environment: wikiSearch(),
    rows: oracle,
    play: openenvPolicy(wikiSearch(), "oracle", train),
    core: oracle,
    split: "train",
  },
};
const names = Object.keys(cases);

/** Results of one process for all cases, since starting verifiers takes seconds. */
const resultsOf = { rows: new Map<string, Results>(), play: new Map<string, Results>() };
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
    const rowLines = await Array.fromAsync(nemoRows(environment, { count }), (row) =>
      JSON.stringify(row),
    );
    await writeFile(file, `${rowLines.join("\n")}\n`);
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
  const evaluated = await runScript("verifiers_tasksets.py", [JSON.stringify(evaluations)]);
  for (const [at, results] of (evaluated as readonly Results[]).entries())
    resultsOf[at % 2 === 0 ? "rows" : "play"].set(names[Math.floor(at / 2)]!, results);
});

afterAll(async () => {
  for (const resource of closing.splice(0).toReversed()) await resource[Symbol.asyncDispose]();
});

async function expectAsInCore(name: string, results: Results) {
  const { environment, core: answer, split } = cases[name]!;
  const core = await playInCore(environment, { answer, count, split });
  expect(results.flatMap(({ errors }) => errors)).toEqual([]);
  expect(results.map(({ reward }) => reward)).toEqual(core.map(({ reward }) => reward));
  return core;
}

const numbers = (scores: Readonly<Record<string, number | null>>) =>
  Object.fromEntries(Object.entries(scores).filter(([, score]) => score !== null));

describe("verifiers evaluates a model with the rewards of core", () => {
  test.each(names)("over its NeMo Gym taskset, also with the scores of core: %s", async (name) => {
    const results = resultsOf.rows.get(name)!;
    const core = await expectAsInCore(name, results);
    expect(results.map(({ metrics }) => metrics)).toEqual(
      core.map(({ scores }) => ({ ...numbers(scores), is_truncated: 0 })),
    );
  });

  test.each(names)("over its OpenEnv taskset: %s", async (name) => {
    await expectAsInCore(name, resultsOf.play.get(name)!);
  });
});

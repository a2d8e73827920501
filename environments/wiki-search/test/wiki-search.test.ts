import {
  assistantMessage,
  type AssistantMessage,
  ConfigError,
  evaluate,
  type InferExample,
  policy,
  textOf,
} from "@envs/core";
import { episode, examples, type KeyedExample } from "@envs/core/engine";
import { checkEnvironment } from "@envs/core/testing";
import { describe, expect, test } from "vitest";

import packageJson from "../package.json" with { type: "json" };
import { isAnswer } from "../src/answer.ts";
import wikiSearch from "../src/index.ts";

type Row = InferExample<typeof wikiSearch>;

async function rowsOf(split: string, count = Infinity, config = {}): Promise<KeyedExample<Row>[]> {
  const rows: KeyedExample<Row>[] = [];
  for await (const row of examples(wikiSearch(config), { split, count })) rows.push(row);
  return rows;
}

function call(name: string, input: object | string): AssistantMessage {
  const json = typeof input === "string" ? input : JSON.stringify(input);
  return {
    ...assistantMessage(""),
    tool_calls: [{ id: name, type: "function", function: { name, arguments: json } }],
  };
}

/** Plays the given replies on the first question, then scores. */
async function play(replies: readonly (AssistantMessage | string)[], config = {}) {
  const [row] = await rowsOf("eval", 1, config);
  const game = episode(wikiSearch(config), row!.example);
  await game.start();
  const said: string[] = [];
  for (const reply of replies) {
    const { messages } = await game.step(
      typeof reply === "string" ? assistantMessage(reply) : reply,
    );
    said.push(...messages.map(({ content }) => textOf(content)));
  }
  return { game, said, example: row!.example, ...(await game.score()) };
}

test("passes the conformance suite", async () => {
  await checkEnvironment(wikiSearch, { packageName: packageJson.name, fullReward: 1, examples: 8 });
});

test("policy:oracle answers the questions of both splits without a repeated call", async () => {
  for (const split of ["train", "eval"]) {
    const { reward, scores, counts, rollouts } = await evaluate(wikiSearch(), {
      model: policy("oracle"),
      split,
      examples: 100,
      rolloutsPerExample: 1,
    });
    expect(counts).toMatchObject({ total: 100, scored: 100, truncated: 0 });
    expect(reward).toMatchObject({ mean: 1, min: 1 });
    expect(scores.goldArticles.min).toBe(1);
    expect(scores.redundantCalls.max).toBe(0);
    for (const { tools = {} } of rollouts) {
      const calls = Object.values(tools).reduce((sum, use) => sum + use.calls, 0);
      expect(calls).toBeGreaterThanOrEqual(2);
      expect(calls).toBeLessThanOrEqual(9);
    }
  }
});

test("policy:oracle answers questions of four hops within the default maxTurns", async () => {
  const { reward } = await evaluate(wikiSearch({ minHops: 4, maxHops: 4 }), {
    model: policy("oracle"),
    examples: 20,
    rolloutsPerExample: 1,
  });
  expect(reward).toMatchObject({ mean: 1, min: 1 });
});

test("policy:lazy is almost never right", async () => {
  const { reward, scores, tools } = await evaluate(wikiSearch(), {
    model: policy("lazy"),
    examples: 300,
    rolloutsPerExample: 1,
  });
  expect(reward.mean).toBeLessThan(0.01);
  expect(tools).toEqual({});
  expect(scores.goldArticles.max).toBe(0);
});

describe("the dataset", () => {
  test("has 1,000 different questions in each split and none in both", async () => {
    const [train, held] = [await rowsOf("train"), await rowsOf("eval")];
    const prompts = [...train, ...held].map(({ example }) => example.prompt);
    expect([train.length, held.length, new Set(prompts).size]).toEqual([1000, 1000, 2000]);
    const starts = new Set(train.map(({ example }) => example.start));
    expect(held.filter(({ example }) => starts.has(example.start))).toEqual([]);
  });

  test("has questions of minHops to maxHops hops", async () => {
    const hops = async (config: object) =>
      new Set((await rowsOf("eval", 100, config)).map(({ example }) => example.hops));
    expect(await hops({})).toEqual(new Set([1, 2, 3]));
    const first = await rowsOf("eval", 6);
    expect(first.map(({ example }) => example.hops)).toEqual([1, 2, 3, 1, 2, 3]);
    expect(await hops({ minHops: 2, maxHops: 2 })).toEqual(new Set([2]));
    expect(await hops({ minHops: 3, maxHops: 4 })).toEqual(new Set([3, 4]));
  });

  test("has as many questions as the option examples", async () => {
    expect(await rowsOf("train", Infinity, { examples: 7 })).toHaveLength(7);
    expect(await rowsOf("train", Infinity, { examples: 3000 })).toHaveLength(3000);
  });
});

describe("the config", () => {
  test.each([
    { maxHops: 5 },
    { minHops: 0 },
    { examples: 0 },
    { minHops: 3, maxHops: 2 },
    { hops: 2 },
  ])("rejects the config %j", (config) => {
    expect(() => wikiSearch(config)).toThrow(ConfigError);
  });
});

describe("a rollout", () => {
  test("continues while the model calls tools and ends with a reply without a call", async () => {
    const { game, example, said } = await play([
      call("search", { query: "Lyon" }),
      call("open", { id: "lyon" }),
      call("read", { id: "lyon", section: "population" }),
      "So it is.",
    ]);
    expect(said).toHaveLength(3);
    expect(said[0]).toMatch(/^\[lyon\] Lyon: Lyon is a city in France\./);
    expect(said[2]).toBe("Lyon has 472,317 inhabitants.");
    expect(game.stopReason).toBe("end");
    expect(isAnswer("So it is.", example.accepted)).toBe(false);
  });

  test("counts repeated calls and the right articles", async () => {
    const open = call("open", { id: "lyon" });
    const { example } = await play([]);
    const right = call("open", { id: example.articles[0] });
    const { scores } = await play([
      open,
      open,
      right,
      call("nonsense", {}),
      call("read", "{"),
      "<answer>no idea</answer>",
    ]);
    expect(scores).toEqual({
      exact: 0,
      redundantCalls: 1,
      goldArticles: 1 / example.hops,
    });
  });

  test("accepts the answer in its tags in any notation", async () => {
    const { example } = await play([]);
    const rewardOf = async (reply: string) => (await play([reply])).reward;
    expect(await rewardOf(example.answer)).toBe(0);
    expect(await rewardOf(`I found it. <answer> ${example.answer.toUpperCase()}. </answer>`)).toBe(
      1,
    );
    expect(await rewardOf(`<answer>Atlantis</answer> <answer>${example.answer}</answer>`)).toBe(1);
    expect(await rewardOf(`<answer>${example.answer}</answer> <answer>Atlantis</answer>`)).toBe(0);
    expect(await rewardOf(`<answer>${example.answer} or Atlantis</answer>`)).toBe(0);
  });

  test("explains an invalid call to the model", async () => {
    const { said } = await play([
      call("open", { id: "lyonn" }),
      call("read", { id: "lyon", section: "history" }),
      call("search", { query: "x".repeat(201) }),
      call("find", { query: "Lyon" }),
    ]);
    expect(said[0]).toContain("Similar ids: lyon");
    expect(said[1]).toContain("Its sections: administration, geography, population");
    expect(said[2]).toContain("query");
    expect(said[3]).toContain("search, open, read");
  });

  test("ends after maxTurns", async () => {
    const { game } = await play([call("open", { id: "lyon" }), call("open", { id: "paris" })], {
      maxTurns: 2,
    });
    expect(game.stopReason).toBe("turns");
  });
});

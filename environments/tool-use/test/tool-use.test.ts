import { assistantMessage, evaluate, policy, random } from "@envs/core";
import { episode } from "@envs/core/engine";
import { checkEnvironment, scriptedModel } from "@envs/core/testing";
import { describe, expect, test } from "vitest";

import packageJson from "../package.json" with { type: "json" };
import { writeCalls } from "../src/conversation.ts";
import toolUse from "../src/index.ts";
import { categories, type Category, questions, skills } from "../src/questions.ts";

/** The mean scores of a policy on all of `eval`. */
async function meansOf(name: string, asked: readonly Category[] = categories) {
  const { reward, scores, tools, rollouts } = await evaluate(
    toolUse({ examples: 500, categories: [...asked] }),
    { model: policy(name), examples: Infinity, rolloutsPerExample: 1 },
  );
  expect(rollouts.filter(({ status }) => status === "failed")).toEqual([]);
  return { reward: reward.mean!, scores, tools };
}

test("passes the conformance suite", async () => {
  await checkEnvironment(toolUse, { packageName: packageJson.name, fullReward: 1, examples: 8 });
});

describe("policy", () => {
  test("oracle gets the full reward in every category without an error of a tool", async () => {
    const { reward, tools } = await meansOf("oracle");
    expect(reward).toBe(1);
    expect(Object.keys(tools).toSorted()).toEqual(Object.keys(skills).toSorted());
    for (const { errors } of Object.values(tools)) expect(errors).toBe(0);
  });

  test("oneByOne loses only the score for one turn, where several calls are right", async () => {
    expect((await meansOf("oneByOne", ["parallel", "parallel-multiple"])).reward).toBe(0.8);
    expect((await meansOf("oneByOne", ["simple", "multiple", "irrelevant"])).reward).toBe(1);
  });

  test.each([
    ["silent", ["simple", "multiple", "parallel", "parallel-multiple"]],
    ["twice", ["simple", "multiple", "parallel", "parallel-multiple"]],
    ["everyTool", ["multiple", "parallel-multiple", "irrelevant"]],
  ] as const)("%s gets nothing in the categories %j", async (name, asked) => {
    expect((await meansOf(name, asked)).reward).toBe(0);
  });

  test("silent gets the share of requests that no tool can do", async () => {
    const { reward } = await meansOf("silent");
    expect(reward).toBeGreaterThan(0.1);
    expect(reward).toBeLessThan(0.3);
  });
});

describe("questions", () => {
  const all = [...questions(categories, random(0)).take(1000)];

  test("are different, and offer the tools that their calls need", () => {
    expect(new Set(all.map(({ prompt }) => prompt)).size).toBe(1000);
    for (const { category, offered, calls } of all) {
      expect(new Set(offered).size).toBe(offered.length);
      expect(calls.length > 0).toBe(category !== "irrelevant");
      for (const { name, arguments: input } of calls) {
        expect(offered).toContain(name);
        expect(() => skills[name]!.input.parse(input)).not.toThrow();
      }
    }
  });

  test("name the values of their arguments", () => {
    const named = ["city", "day", "room", "name", "title"];
    const missing = all.flatMap(({ prompt, calls }) =>
      calls
        .flatMap(({ arguments: input }) => named.map((key) => input[key]))
        .filter((value) => typeof value === "string" && !prompt.includes(value)),
    );
    expect(missing).toEqual([]);
  });

  test("of a parallel category need at least two calls", () => {
    const parallel = all.filter(({ category }) => category.startsWith("parallel"));
    expect(Math.min(...parallel.map(({ calls }) => calls.length))).toBe(2);
  });
});

test("an episode has only the tools of its example, and runs them", async () => {
  const running = episode(toolUse(), {
    prompt: "What is in my calendar on Monday?",
    category: "multiple",
    offered: ["list_events", "set_timer"],
    calls: [{ name: "list_events", arguments: { day: "Monday" } }],
  });
  await running.start();
  expect(running.tools.map(({ name }) => name)).toEqual(["list_events", "set_timer"]);
  const calls = [
    { name: "list_events", arguments: { day: "Monday" } },
    { name: "get_weather", arguments: { city: "Oslo", day: "Monday" } },
  ];
  const { messages } = await running.step(writeCalls(calls));
  expect(messages.map(({ content }) => content)).toEqual([
    expect.stringMatching(/^\[\{"start":"\d+:00","title":".+"\}\]$/),
    expect.stringMatching(/^Error: There is no tool named "get_weather"/),
  ]);
  await running.step(assistantMessage("Done."));
  expect(await running.score()).toEqual({
    reward: 0,
    scores: { calls: 0, oneTurn: 0, matched: 2 / 3 },
  });
});

test("a wrong call that is corrected in the next turn is still wrong", async () => {
  const { rollouts } = await evaluate(toolUse({ categories: ["simple"] }), {
    model: async ({ messages, ...request }) => {
      if (messages.at(-1)!.role !== "user") return scriptedModel("Done.")({ messages, ...request });
      const { tool_calls: [right] = [] } = await request.askPolicy!("oracle");
      const wrong = { ...right!, function: { ...right!.function, arguments: '{"x":1}' } };
      return {
        message: { ...assistantMessage(""), tool_calls: [wrong, { ...right!, id: "2" }] },
        finish: "tool_calls",
      };
    },
    examples: 3,
    rolloutsPerExample: 1,
  });
  expect(rollouts.map((played) => played.status === "scored" && played.reward)).toEqual([0, 0, 0]);
});

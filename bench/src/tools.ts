import { setTimeout as sleep } from "node:timers/promises";

import { assistantMessage, defineEnvironment, type Model, rollouts, tool } from "@envs/core";
import * as z from "zod";

import { best, type Figure, seconds } from "./figure.ts";

const [concurrency, turns, delay] = [2000, 8, 50];

const look = tool({
  description: "Looks something up",
  input: z.object({ query: z.string(), limit: z.int().min(1).max(20).default(5) }),
  execute: ({ query }) => sleep(delay, { query, hits: [1, 2, 3] }),
});

/** A conversation of tool calls with almost no logic, so that a run measures the engine. */
const researcher = defineEnvironment({
  name: "researcher",
  *dataset() {
    for (let number = 0; ; number += 1) yield { prompt: `Find ${number}.` };
  },
  setup: () => ({ seen: 0 }),
  tools: { look, find: look },
  rubric: { replies: ({ turns: played }) => played },
})();

/** A model without latency that calls tools in every turn but the last. */
function caller(calls: number): Model {
  const names = Array.from({ length: calls }, (_, index) => (index % 2 === 0 ? "look" : "find"));
  const toolCalls = names.map((name, index) => ({
    id: `call_${index}`,
    type: "function" as const,
    function: { name, arguments: JSON.stringify({ query: `${name} ${index}` }) },
  }));
  const call = {
    message: { ...assistantMessage(""), tool_calls: toolCalls },
    finish: "tool_calls",
  } as const;
  const stop = { message: assistantMessage("Done."), finish: "stop" } as const;
  const length = 1 + turns * (1 + calls);
  return async ({ messages }) => (messages.length < length ? call : stop);
}

async function playAll(calls: number): Promise<void> {
  const options = {
    examples: concurrency,
    concurrency,
    rolloutsPerExample: 1,
    model: caller(calls),
  };
  for await (const rollout of rollouts(researcher, options))
    if (rollout.status === "failed" || rollout.tools?.["look"]?.errors !== 0)
      throw new Error("A rollout did not call its tools.");
}

/** The same delays without an engine: the limit that the timers of this machine set. */
async function waitAll(calls: number): Promise<void> {
  const wait = async (): Promise<void> => {
    for (let turn = 0; turn < turns; turn += 1)
      await Promise.all(Array.from({ length: calls }, () => sleep(delay)));
  };
  await Promise.all(Array.from({ length: concurrency }, wait));
}

/** Compares rollouts whose tools wait with the ideal time: that of the tool calls of one rollout. */
export async function tools(): Promise<readonly Figure[]> {
  const ideal = (turns * delay) / 1000;
  const measure = async (calls: number, work: typeof playAll): Promise<number> =>
    (await best(8, () => seconds(() => work(calls)))) / ideal;
  const [one, four] = [await measure(1, playAll), await measure(4, playAll)];
  const bare = await measure(4, waitAll);
  return [
    {
      name: "2,000 rollouts at once, 8 turns with a tool of 50 ms: time / ideal",
      value: one,
      unit: "×",
      aim: { at: "most", value: 1.25 },
    },
    { name: "the same with 4 calls in each turn: time / ideal", value: four, unit: "×" },
    { name: "the same 4 calls without an engine: time / ideal", value: bare, unit: "×" },
  ];
}

import { parseRow, toRow } from "@envs/records";
import { expect, test } from "vitest";
import * as z from "zod";

import { toolSpecsOf } from "../../src/definition/inspect.ts";
import { episode } from "../../src/episode/episode.ts";
import {
  assistantMessage,
  type AssistantMessage,
  ConfigError,
  defineEnvironment,
  evaluate,
  mergeTools,
  policy,
  tool,
} from "../../src/index.ts";
import { checkReport, scriptedModel } from "../../src/testing/index.ts";

function call(name: string): AssistantMessage {
  const called = { name, arguments: "{}" };
  return {
    ...assistantMessage(""),
    tool_calls: [{ id: "1", type: "function", function: called }],
  };
}

const open = (text: string) =>
  tool({ description: `Opens ${text}`, input: z.object({}), execute: () => text });

/** An environment whose examples each name a door, with a tool of the same name. */
const doors = defineEnvironment({
  name: "doors",
  config: z.object({ hasWindow: z.boolean().default(false) }),
  dataset: () => [
    { prompt: "Open the red door.", door: "red" },
    { prompt: "Open the blue door.", door: "blue" },
  ],
  setup: ({ example }) => ({ behind: `the room behind ${example.door}` }),
  async tools({ config, example, state }) {
    await Promise.resolve();
    return {
      [`open_${example.door}`]: open(state.behind),
      ...(config.hasWindow ? { look: open("the garden") } : {}),
    };
  },
  rubric: { opened: ({ completion, state }) => completion.some((m) => m.content === state.behind) },
  policies: {
    opens: ({ example, turns }) => (turns === 0 ? call(`open_${example.door}`) : "Done."),
  },
});

test("an episode has the tools of its example, config and state after its start", async () => {
  const running = episode(doors({ hasWindow: true }), { prompt: "Open.", door: "green" });
  expect(running.tools).toEqual([]);
  await running.start();
  expect(running.tools.map(({ name }) => name)).toEqual(["open_green", "look"]);
  const { messages } = await running.step(call("open_green"));
  expect(messages).toMatchObject([{ role: "tool", content: "the room behind green" }]);
});

test("a tool of another example does not exist", async () => {
  const running = episode(doors(), { prompt: "Open.", door: "green" });
  await running.start();
  const { messages } = await running.step(call("open_red"));
  expect(messages[0]!.content).toBe(
    'Error: There is no tool named "open_red". Use one of: open_green.',
  );
});

test("the environment has no list of tools, and the model receives that of the episode", async () => {
  expect(toolSpecsOf(doors())).toBeUndefined();
  const received: (readonly string[] | undefined)[] = [];
  await evaluate(doors(), {
    model: async ({ tools }) => {
      received.push(tools?.map(({ name }) => name));
      return { message: assistantMessage("Done."), finish: "stop" };
    },
    rolloutsPerExample: 1,
    concurrency: 1,
  });
  expect(received).toEqual([["open_red"], ["open_blue"]]);
});

test("a record contains the tools of its rollout", async () => {
  const { rollouts, reward } = await evaluate(doors(), {
    model: policy("opens"),
    rolloutsPerExample: 1,
  });
  expect(reward.mean).toBe(1);
  const rows = rollouts.map((played) => toRow(played));
  expect(rows.map((row) => row.tool_defs?.map(({ name }) => name))).toEqual([
    ["open_red"],
    ["open_blue"],
  ]);
  for (const [index, row] of rows.entries())
    expect(parseRow(JSON.stringify(row))).toMatchObject({
      toolSpecs: rollouts[index]!.toolSpecs,
    });
});

test("passes the conformance suite", async () => {
  const failed = (await checkReport(doors, { fullReward: 1 })).filter(({ problem }) => problem);
  expect(failed).toEqual([]);
});

test.each([
  ["throws", () => Promise.reject(new Error("no doors today")), /^tools: no doors today$/],
  [
    "returns a name that model servers reject",
    () => ({ "open the door": open("x") }),
    /^tools: The tool "open the door" of doors has a name that model servers reject\./,
  ],
])("the rollout fails if tools %s", async (_case, tools, message) => {
  const environment = defineEnvironment({ ...doors.definition, tools } as never)();
  const { rollouts } = await evaluate(environment, {
    model: scriptedModel("Done."),
    examples: 1,
    rolloutsPerExample: 1,
  });
  expect(rollouts[0]).toMatchObject({
    status: "failed",
    error: { code: "environment", message: expect.stringMatching(message) },
  });
});

test.each([
  ["open door", {}, /The tool "open door" of doors has a name that model servers reject/],
  ["", {}, /The tool "" of doors has a name/],
  ["x".repeat(65), {}, /has a name that model servers reject\. Use 1 to 64 letters/],
  ["open", { execute: undefined }, /The tool "open" of doors has no function execute/],
  ["open", { input: {} }, /The tool "open" of doors has no input schema/],
  ["open", { timeout: 0 }, /The tool "open" of doors has a timeout of 0/],
])("defineEnvironment rejects the tool %j with %j", (name, change, message) => {
  const tools = { [name]: { ...open("x"), ...change } };
  const define = () => defineEnvironment({ ...doors.definition, tools } as never);
  expect(define).toThrow(ConfigError);
  expect(define).toThrow(message);
});

test("mergeTools() joins toolsets, and rejects a name that two of them have", () => {
  const [near, far] = [open("the gate"), open("the sea")];
  expect(mergeTools({ near }, {}, { far })).toEqual({ near, far });
  expect(() => mergeTools({ near }, { far, near })).toThrow(
    new ConfigError("Two toolsets have a tool named near. Rename one of them."),
  );
});

import { parseRow, toRow } from "@envs/records";
import { expect, test } from "vitest";
import * as z from "zod";

import { episode } from "../../src/episode/episode.ts";
import { defineEnvironment, end, evaluate, RolloutError, textOf } from "../../src/index.ts";
import type { AssistantMessage, ToolCall } from "../../src/message/message.ts";
import { scriptedModel } from "../../src/testing/index.ts";

function call(name: string, text = "{}", id = "c1"): ToolCall {
  return { id, type: "function", function: { name, arguments: text } };
}

function calls(...toolCalls: readonly ToolCall[]): AssistantMessage {
  return { role: "assistant", content: "", tool_calls: toolCalls };
}

const definition = {
  name: "bench",
  dataset: () => [{ prompt: "Use the tools." }],
  setup: () => ({ ran: [] as string[] }),
  tools: {
    double: {
      description: "Doubles a number",
      input: z.object({ value: z.number(), note: z.string().default("none") }),
      execute({ value, note }: { value: number; note: string }) {
        return { doubled: value * 2, note };
      },
    },
    fail: {
      description: "Throws",
      input: z.object({}),
      execute() {
        throw new Error("out of order");
      },
    },
    refuse: {
      description: "Throws a RolloutError",
      input: z.object({}),
      execute() {
        throw new RolloutError("model", "no more credit");
      },
    },
    finish: {
      description: "Ends the episode",
      input: z.object({}),
      execute: () => end("Bye."),
    },
    give: {
      description: "Gives back something odd",
      input: z.object({ kind: z.string() }),
      execute({ kind }: { kind: string }): unknown {
        if (kind === "function") return () => 1;
        if (kind === "circle") {
          const circle: Record<string, unknown> = {};
          circle.self = circle;
          return circle;
        }
        return kind === "text" ? "plain" : undefined;
      },
    },
    picky: {
      description: "Has a schema that throws",
      input: z.object({ value: z.string().refine((value) => value.repeat(-1) === "") }),
      execute: () => "never",
    },
    constructor: {
      description: "Has an awkward name",
      input: z.object({}),
      execute: () => "built",
    },
  },
  rubric: { zero: () => 0 },
} as const;

const forgiving = defineEnvironment(definition);
const strict = defineEnvironment({ ...definition, episode: { toolErrors: "fail" } });

async function run(message: AssistantMessage, environment = forgiving()) {
  const running = episode(environment, { prompt: "Use the tools." });
  await running.start();
  return running.step(message);
}

async function answer(message: AssistantMessage, environment = forgiving()): Promise<string> {
  const { messages } = await run(message, environment);
  return messages.map(({ content }) => textOf(content)).join("\n");
}

test("passes parsed input to the tool and its result as JSON to the model", async () => {
  expect(await answer(calls(call("double", '{"value": 4}')))).toBe('{"doubled":8,"note":"none"}');
});

test("each result names its call", async () => {
  const { messages, isDone } = await run(
    calls(call("double", '{"value": 1}', "a"), call("fail", "{}", "b")),
  );
  expect(messages).toMatchObject([
    { role: "tool", tool_call_id: "a" },
    { role: "tool", tool_call_id: "b" },
  ]);
  expect(isDone).toBe(false);
});

test("accepts empty arguments", async () => {
  expect(await answer(calls(call("finish", "")))).toBe("Bye.");
});

test.for([
  [
    "an unknown tool",
    call("halve"),
    /^Error: There is no tool named "halve"\. Use one of: double, /,
  ],
  [
    "broken JSON",
    call("double", '{"value": '),
    /^Error: The arguments of double are not valid JSON: /,
  ],
  ["input that does not fit", call("double", '{"value": "x"}'), /do not fit:\n.*expected number/s],
  [
    "input that is not an object",
    call("double", "[1]"),
    /^Error: The arguments of double do not fit/,
  ],
  ["a tool that throws", call("fail"), /^Error: fail failed: out of order$/],
  [
    "a result that is not JSON",
    call("give", '{"kind":"circle"}'),
    /^Error: give failed: .*circular/s,
  ],
  ["a schema that throws", call("picky", '{"value":"x"}'), /^Error: .*picky.*Invalid count/s],
] as const)("reports %s to the model", async ([, toolCall, expected]) => {
  expect(await answer(calls(toolCall))).toMatch(expected);
});

test.for([
  ["an unknown tool", call("halve")],
  ["broken JSON", call("double", "{")],
  ["input that does not fit", call("double", "{}")],
  ["a tool that throws", call("fail")],
  ["a schema that throws", call("picky", '{"value":"x"}')],
] as const)('fails the rollout for %s with toolErrors "fail"', async ([, toolCall]) => {
  await expect(run(calls(toolCall), strict())).rejects.toMatchObject({
    name: "RolloutError",
    code: "tool",
  });
});

test("throws a RolloutError of a tool unchanged", async () => {
  await expect(run(calls(call("refuse")))).rejects.toMatchObject({ code: "model" });
});

test.for(["toString", "__proto__", "hasOwnProperty", "valueOf"])(
  "does not find a tool named %s on the prototype",
  async (name) => {
    expect(await answer(calls(call(name)))).toContain(`no tool named "${name}"`);
  },
);

test("supports a tool named constructor", async () => {
  expect(await answer(calls(call("constructor")))).toBe("built");
});

test("supports a tool named __proto__", async () => {
  const environment = defineEnvironment({
    ...definition,
    tools: { ["__proto__"]: { ...definition.tools.constructor } },
  });
  expect(await answer(calls(call("__proto__")), environment() as never)).toBe("built");
});

test("arguments cannot change a prototype", async () => {
  await answer(calls(call("double", '{"value": 1, "__proto__": {"polluted": true}}')));
  expect("polluted" in {}).toBe(false);
});

test.for(["function", "nothing"])(
  "returns an empty result for a tool that returns %s",
  async (kind) => {
    const { messages } = await run(calls(call("give", JSON.stringify({ kind }))));
    expect(messages).toEqual([{ role: "tool", tool_call_id: "c1", content: "" }]);
  },
);

test("does not run calls after a tool has ended the episode", async () => {
  const observation = await run(calls(call("finish"), call("fail", "{}", "late")));
  expect(observation).toMatchObject({
    isDone: true,
    stopReason: "end",
    messages: [
      { content: "Bye." },
      { tool_call_id: "late", content: "Not run: the episode is over." },
    ],
  });
});

test("a reply without calls ends an environment with tools only", async () => {
  expect(await run({ role: "assistant", content: "done" })).toMatchObject({
    isDone: true,
    stopReason: "end",
  });
});

test("describes the input schema of each tool, with defaults as optional", () => {
  const running = episode(forgiving(), { prompt: "x" });
  expect(running.tools[0]).toEqual({
    name: "double",
    description: "Doubles a number",
    parameters: {
      type: "object",
      properties: { value: { type: "number" }, note: { type: "string", default: "none" } },
      required: ["value"],
    },
  });
});

test("reports very deep arguments to the model", async () => {
  const environment = defineEnvironment({
    ...definition,
    tools: {
      keep: {
        description: "Keeps any JSON",
        input: z.object({ value: z.json() }),
        execute: () => "unused",
      },
    },
  });
  const deep = `{"value": ${"[".repeat(50_000)}${"]".repeat(50_000)}}`;
  expect(await answer(calls(call("keep", deep)), environment() as never)).toMatch(
    /^Error: .*keep/s,
  );
});

test.for([
  ["text", "Bye.", [{ role: "tool", content: "Bye." }]],
  ["nothing", undefined, [{ role: "tool", content: "" }]],
  ["a value", { found: 3 }, [{ role: "tool", content: '{"found":3}' }]],
  [
    "messages",
    [{ role: "user", content: "Bye." }],
    [
      { role: "tool", content: "" },
      { role: "tool", content: "Not run: the episode is over." },
      { role: "user", content: "Bye." },
    ],
  ],
] as const)("ends the episode with %s from a tool", async ([kind, last, expected]) => {
  const stop = { description: "Stops", input: z.object({}), execute: () => end(last) };
  const environment = defineEnvironment({ ...definition, tools: { stop } })();
  const toolCalls = kind === "messages" ? [call("stop"), call("stop")] : [call("stop")];
  const { messages, isDone } = await run(calls(...toolCalls), environment);
  expect(isDone).toBe(true);
  expect(messages.map(({ role, content }) => ({ role, content }))).toEqual(expected);
});

test.for([
  ["text", "Bye.", ["Bye."]],
  ["nothing", undefined, []],
  [
    "messages",
    [
      { role: "user", content: "One." },
      { role: "user", content: "Two." },
    ] as const,
    ["One.", "Two."],
  ],
] as const)("ends the episode with %s from respond", async ([, last, expected]) => {
  const environment = defineEnvironment({ ...definition, respond: () => end(last) })();
  const { messages, isDone } = await run({ role: "assistant", content: "Hi." }, environment);
  expect(isDone).toBe(true);
  expect(messages.map(({ content }) => content)).toEqual(expected);
});

test.for([[undefined], [7], [{ text: "Bye." }], [["Bye."]]])(
  "fails the rollout if respond returns %j",
  async ([answer]) => {
    const environment = defineEnvironment({ ...definition, respond: () => answer as never })();
    await expect(run({ role: "assistant", content: "Hi." }, environment)).rejects.toMatchObject({
      code: "environment",
      message: expect.stringMatching(
        /^respond returned .*\. It must return text, a list of messages, end\(\) or invalid\(\)\.$/,
      ),
    });
  },
);

test("counts the calls whose tool threw, not the mistakes of the model", async () => {
  const model = scriptedModel(
    calls(call("fail"), call("double", "{"), call("halve"), call("fail")),
    "Done.",
  );
  const environment = defineEnvironment({ ...definition, rubric: { one: () => 1 } })();
  const { rollouts, toolErrors } = await evaluate(environment, { model, rolloutsPerExample: 2 });
  expect(toolErrors).toEqual({ count: 4, message: "fail failed: out of order" });
  for (const played of rollouts) {
    expect(played.toolErrors).toEqual(["fail failed: out of order", "fail failed: out of order"]);
    expect(parseRow(JSON.stringify(toRow(played)))).toMatchObject({
      toolErrors: played.toolErrors,
    });
  }
});

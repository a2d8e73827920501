import { parseRow, toRow } from "@envs/records";
import { describe, expect, test, vi } from "vitest";
import * as z from "zod";

import type { Toolset } from "../../src/definition/tool.ts";
import { episode } from "../../src/episode/episode.ts";
import {
  assistantMessage,
  defineEnvironment,
  end,
  evaluate,
  random,
  RolloutError,
} from "../../src/index.ts";
import type { AssistantMessage, Message } from "../../src/message/message.ts";
import { scriptedModel } from "../../src/testing/index.ts";

/** A message with one call of each named tool, with the ids 0, 1, … */
function calls(...names: readonly string[]): AssistantMessage {
  const toolCalls = names.map((name, index) => ({
    id: String(index),
    type: "function" as const,
    function: { name, arguments: "{}" },
  }));
  return { ...assistantMessage(""), tool_calls: toolCalls };
}

type Execute = Toolset[string]["execute"];

const toolOf = (execute: Execute, options: Partial<Toolset[string]> = {}): Toolset[string] => ({
  description: "A tool",
  input: z.object({}),
  execute,
  ...options,
});

function environmentWith(tools: Toolset, toolErrors: "tell" | "fail" = "tell") {
  return defineEnvironment({
    name: "bench",
    dataset: () => [{ prompt: "Use the tools." }],
    tools,
    episode: { toolErrors },
    rubric: { one: () => 1 },
  })();
}

async function step(tools: Toolset, message: AssistantMessage, toolErrors?: "tell" | "fail") {
  const running = episode(environmentWith(tools, toolErrors), { prompt: "Use the tools." });
  await running.start();
  return { running, observation: await running.step(message) };
}

const textsOf = (messages: readonly Message[]) => messages.map(({ content }) => content);

/** Tools whose calls run until the test ends them, in any order. */
function manualTools(...names: readonly string[]) {
  const started: string[] = [];
  const ends = new Map<string, (value: unknown) => void>();
  const tools: Toolset = Object.fromEntries(
    names.map((name) => [
      name,
      toolOf(() => {
        started.push(name);
        return new Promise((resolve) => ends.set(name, resolve));
      }),
    ]),
  );
  return { tools, started, finish: (name: string, value: unknown) => ends.get(name)!(value) };
}

describe("calls of one turn", () => {
  test("run at once, and their results are in the order of the calls", async () => {
    const { tools, started, finish } = manualTools("a", "b", "c");
    const running = step(tools, calls("c", "a", "b"));
    await vi.waitFor(() => expect(started).toEqual(["c", "a", "b"]), { timeout: 120_000 });
    for (const name of ["b", "a", "c"]) finish(name, `${name} is done`);
    const { observation } = await running;
    expect(textsOf(observation.messages)).toEqual(["c is done", "a is done", "b is done"]);
  });

  test("start in order, so that tools without a promise run one after the other", async () => {
    let log = "";
    const add = (letter: string) => toolOf(() => (log += letter));
    const { observation } = await step({ a: add("a"), b: add("b") }, calls("b", "a", "b"));
    expect(textsOf(observation.messages)).toEqual(["b", "ba", "bab"]);
  });

  test("do not run beside a sequential call", async () => {
    const running = new Set<string>();
    const overlaps = new Set<string>();
    const slow = (name: string, sequential?: boolean) =>
      toolOf(
        async () => {
          for (const other of running) overlaps.add([name, other].toSorted().join(" "));
          running.add(name);
          for (let tick = 0; tick < 20; tick += 1) await Promise.resolve();
          running.delete(name);
          return name;
        },
        { sequential },
      );
    const tools = { a: slow("a"), b: slow("b"), write: slow("write", true), c: slow("c") };
    const { observation } = await step(tools, calls("a", "b", "write", "c", "a"));
    expect(textsOf(observation.messages)).toEqual(["a", "b", "write", "c", "a"]);
    expect([...overlaps]).toEqual(["a b", "a c"]);
  });

  test("draw numbers that do not depend on which call draws first", async () => {
    const play = async (names: readonly string[], delays: readonly number[]) => {
      const tools = Object.fromEntries(
        names.map((name, index) => [
          name,
          toolOf(async (_input, { random }) => {
            for (let tick = 0; tick < delays[index]!; tick += 1) await Promise.resolve();
            return random.int(1e9);
          }),
        ]),
      );
      const { observation } = await step(tools, calls(...names));
      return textsOf(observation.messages);
    };
    const names = ["a", "b", "c"];
    const drawn = await play(names, [0, 0, 0]);
    expect(new Set(drawn).size).toBe(3);
    expect(await play(names, [9, 5, 1])).toEqual(drawn);
  });

  test("a call alone draws from the stream of the episode", async () => {
    const draw = toolOf((_input, { random: stream }) => stream.int(1e9));
    const { running, observation } = await step({ draw }, calls("draw"));
    const expected = random(0, running.key).int(1e9);
    expect(textsOf(observation.messages)).toEqual([String(expected)]);
  });
});

test("checks arguments by a schema that is asynchronous, also in later calls", async () => {
  const known = toolOf(() => "known", {
    input: z
      .object({ id: z.string().default("b") })
      .refine(async ({ id }) => id === "a", "unknown id"),
  });
  const { observation } = await step({ known }, calls("known", "known"));
  const error = "Error: The arguments of known do not fit:\n✖ unknown id";
  expect(textsOf(observation.messages)).toEqual([error, error]);
});

describe("a call that ends the episode", () => {
  test("does not end the calls beside it; the first in call order ends the conversation", async () => {
    const { tools, started, finish } = manualTools("a", "b", "c");
    const running = step(tools, calls("a", "b", "c"));
    await vi.waitFor(() => expect(started).toHaveLength(3), { timeout: 120_000 });
    finish("c", end([userNote("from c")]));
    finish("b", end([userNote("from b")]));
    finish("a", "a is done");
    const { observation } = await running;
    expect(observation.isDone).toBe(true);
    expect(textsOf(observation.messages)).toEqual(["a is done", "", "", "from b"]);
  });

  test("prevents later sequential calls", async () => {
    const tools = {
      stop: toolOf(async () => end("Bye.")),
      look: toolOf(async () => "seen"),
      write: toolOf(() => "written", { sequential: true }),
    };
    const { observation } = await step(tools, calls("stop", "look", "write", "look"));
    expect(textsOf(observation.messages)).toEqual([
      "Bye.",
      "seen",
      "Not run: the episode is over.",
      "Not run: the episode is over.",
    ]);
  });

  test("a failure beside it fails the rollout", async () => {
    const tools = {
      stop: toolOf(async () => end("Bye.")),
      refuse: toolOf(async () => {
        throw new RolloutError("model", "no more credit");
      }),
    };
    await expect(step(tools, calls("stop", "refuse"))).rejects.toMatchObject({ code: "model" });
  });
});

test("fails the rollout with the first failure in call order, after all calls have ended", async () => {
  const { tools, started, finish } = manualTools("slow");
  const fail = toolOf(() => Promise.reject(new Error("second")));
  const running = step({ ...tools, fail }, calls("slow", "fail"), "fail");
  await vi.waitFor(() => expect(started).toEqual(["slow"]), { timeout: 120_000 });
  finish("slow", Promise.reject(new Error("first")));
  await expect(running).rejects.toMatchObject({ code: "tool", message: "slow failed: first" });
});

describe("a timeout of a tool", () => {
  const hang = (onAbort?: (reason: unknown) => void) =>
    toolOf(
      (_input, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => {
            onAbort?.(signal.reason);
            resolve("late");
          });
        }),
      { timeout: 1 },
    );

  test("is reported to the model, and aborts the signal of the call only", async () => {
    const reasons: unknown[] = [];
    const look = toolOf((_input, { signal }) => String(signal.aborted));
    const tools = { hang: hang((reason) => reasons.push(reason)), look };
    const { running, observation } = await step(tools, calls("hang", "look"));
    expect(textsOf(observation.messages)).toEqual([
      "Error: hang failed: it took longer than 1 ms",
      "false",
    ]);
    expect(reasons).toMatchObject([{ message: "it took longer than 1 ms" }]);
    expect(running.conversation.toolbox.errors).toEqual(["hang failed: it took longer than 1 ms"]);
  });

  test('fails the rollout with toolErrors "fail"', async () => {
    await expect(step({ hang: hang() }, calls("hang"), "fail")).rejects.toMatchObject({
      code: "tool",
      message: "hang failed: it took longer than 1 ms",
    });
  });

  test("does not change the result of a tool that is fast enough", async () => {
    const tools = {
      now: toolOf(() => "now", { timeout: 60_000 }),
      soon: toolOf(async () => "soon", { timeout: 60_000 }),
    };
    const { observation } = await step(tools, calls("now", "soon"));
    expect(textsOf(observation.messages)).toEqual(["now", "soon"]);
  });

  test("passes the abort of the rollout on to the call", async () => {
    const controller = new AbortController();
    const environment = environmentWith({
      wait: toolOf(
        (_input, { signal }) =>
          new Promise((resolve) => {
            signal.addEventListener("abort", () => resolve(signal.reason));
            controller.abort("cancelled by the test");
          }),
        { timeout: 60_000 },
      ),
    });
    const running = episode(environment, { prompt: "Wait." }, { signal: controller.signal });
    await running.start();
    const { messages } = await running.step(calls("wait"));
    expect(textsOf(messages)).toEqual(["cancelled by the test"]);
  });
});

describe("the use of tools", () => {
  const tools = {
    look: toolOf(async () => "seen"),
    fail: toolOf(() => {
      throw new Error("out of order");
    }),
  };

  test("is counted per tool in each rollout, its record and the summary", async () => {
    const model = scriptedModel(calls("look", "fail", "look"), calls("look", "invented"), "Done.");
    const { rollouts, tools: used } = await evaluate(environmentWith(tools), {
      model,
      rolloutsPerExample: 2,
    });
    const seconds = expect.any(Number);
    expect(used).toEqual({
      look: { calls: 6, errors: 0, seconds },
      fail: { calls: 2, errors: 2, seconds },
      invented: { calls: 2, errors: 2, seconds },
    });
    for (const played of rollouts) {
      expect(played.tools).toEqual({
        look: { calls: 3, errors: 0, seconds },
        fail: { calls: 1, errors: 1, seconds },
        invented: { calls: 1, errors: 1, seconds },
      });
      expect(parseRow(JSON.stringify(toRow(played)))).toMatchObject({ tools: played.tools });
    }
  });

  test("is absent from a rollout without calls", async () => {
    const model = scriptedModel("Done.");
    const { rollouts, tools: used } = await evaluate(environmentWith(tools), { model });
    expect(used).toEqual({});
    expect(toRow(rollouts[0]!)).not.toHaveProperty("tools");
  });

  test("does not count calls that have not run", async () => {
    const model = scriptedModel(calls("stop", "look"));
    const stop = toolOf(() => end());
    const { tools: used } = await evaluate(environmentWith({ ...tools, stop }), {
      model,
      rolloutsPerExample: 1,
    });
    expect(Object.keys(used)).toEqual(["stop"]);
  });

  test("counts calls of a rollout that failed", async () => {
    const model = scriptedModel(calls("look", "fail"));
    const { rollouts, tools: used } = await evaluate(environmentWith(tools, "fail"), {
      model,
      rolloutsPerExample: 1,
    });
    expect(rollouts[0]!.status).toBe("failed");
    expect(used).toMatchObject({ look: { calls: 1, errors: 0 }, fail: { calls: 1, errors: 1 } });
  });

  test("cuts names that a model invented, and counts at most 100", async () => {
    const names = Array.from({ length: 150 }, (_, index) => `${index}`.padEnd(500, "x"));
    const model = scriptedModel(calls(...names), "Done.");
    const { tools: used } = await evaluate(environmentWith(tools), {
      model,
      rolloutsPerExample: 1,
    });
    expect(Object.keys(used)).toHaveLength(100);
    expect(Object.keys(used)[0]).toHaveLength(64);
  });
});

function userNote(content: string): Message {
  return { role: "user", content };
}

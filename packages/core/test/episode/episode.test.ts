import fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod";

import { episode } from "../../src/engine.ts";
import { assistantMessage, defineEnvironment, end } from "../../src/index.ts";

/** An environment whose state contains every random number and reply that led to it. */
const dice = defineEnvironment({
  name: "dice",
  config: z.object({ sides: z.int().default(6), luck: z.int().default(9) }),
  *dataset({ random }) {
    for (;;) yield { prompt: "Roll.", goal: random.int(100) };
  },
  setup: ({ random, example }) => ({
    sum: example.goal,
    rolls: [random.int(1000)],
    transcript: "",
  }),
  tools: {
    peek: {
      description: "Look at a die",
      input: z.object({ die: z.int() }),
      execute: ({ die }, { random, state }) => (state.sum += random.for(die).int(10)),
    },
  },
  respond({ reply, state, random, config }) {
    state.rolls.push(random.int(config.sides), random.for(reply).int(50));
    state.transcript += reply;
    if (state.rolls.at(-1)! % config.luck === 0) return end("Lucky.");
    return `You rolled ${state.rolls.at(-2)!}.`;
  },
  episode: { maxTurns: 20, stop: { long: ({ state }) => state.transcript.length > 30 } },
  rubric: { sum: ({ state }) => state.sum },
});

const replies = fc.array(
  fc.oneof(
    fc.string({ maxLength: 6 }).map(assistantMessage),
    fc.integer().map((die) => ({
      ...assistantMessage(""),
      tool_calls: [
        {
          id: "c",
          type: "function" as const,
          function: { name: "peek", arguments: JSON.stringify({ die }) },
        },
      ],
    })),
  ),
  { maxLength: 25 },
);

test("the same environment, config, example, seed and messages lead to the same state", async () => {
  await fc.assert(
    fc.asyncProperty(
      replies,
      fc.nat(),
      fc.integer({ min: 2, max: 60 }),
      async (moves, seed, sides) => {
        const play = async () => {
          const running = episode(dice({ sides }), { prompt: "Roll.", goal: 3 }, { seed });
          const seen: unknown[] = [await running.start()];
          for (const message of moves) seen.push(await running.step(message));
          return { seen, state: running.state, messages: running.messages };
        };
        expect(await play()).toEqual(await play());
      },
    ),
  );
});

test("a shorter play is the beginning of a longer one", async () => {
  await fc.assert(
    fc.asyncProperty(replies, fc.nat({ max: 25 }), async (moves, cut) => {
      const play = async (part: typeof moves) => {
        const running = episode(dice(), { prompt: "Roll.", goal: 3 }, { seed: 1 });
        await running.start();
        for (const message of part) await running.step(message);
        return running.messages;
      };
      const short = await play(moves.slice(0, cut));
      expect((await play(moves)).slice(0, short.length)).toEqual(short);
    }),
  );
});

test("draws different numbers for another seed or example", async () => {
  const draw = async (goal: number, seed: number) => {
    const running = episode(dice(), { prompt: "Roll.", goal }, { seed });
    await running.start();
    return running.state.rolls[0];
  };
  const first = await draw(1, 1);
  expect(await draw(1, 1)).toBe(first);
  expect(await draw(1, 2)).not.toBe(first);
  expect(await draw(2, 1)).not.toBe(first);
});

const echo = {
  name: "echo",
  dataset: () => [{ prompt: "Hi." }],
  setup: () => ({ steps: 0, closed: 0 }),
  rubric: { steps: ({ state }: { state: { steps: number } }) => state.steps },
};

test("ignores steps after the end", async () => {
  const environment = defineEnvironment({ ...echo, respond: ({ reply }) => end(`${reply}!`) });
  const running = episode(environment(), { prompt: "Hi." });
  await running.start();
  await running.step(assistantMessage("a"));
  const before = structuredClone(running.messages);
  expect(await running.step(assistantMessage("b"))).toEqual({
    messages: [],
    isDone: true,
    stopReason: "end",
  });
  expect(running.messages).toEqual(before);
  expect(running.turns).toBe(1);
});

test("rejects a concurrent step and continues the first", async () => {
  const environment = defineEnvironment({
    ...echo,
    async respond({ state }) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      state.steps += 1;
      return "go on";
    },
  });
  const running = episode(environment(), { prompt: "Hi." });
  await running.start();
  const first = running.step(assistantMessage("a"));
  await expect(running.step(assistantMessage("b"))).rejects.toThrow("Await the previous step()");
  expect((await first).messages).toEqual([{ role: "user", content: "go on" }]);
  expect(running.state.steps).toBe(1);
  expect(running.turns).toBe(1);
});

test("rejects a step before or during the start", async () => {
  const environment = defineEnvironment({
    ...echo,
    setup: () => new Promise<{ steps: number }>((resolve) => setTimeout(resolve, 5, { steps: 0 })),
    respond: () => "go on",
  });
  const running = episode(environment(), { prompt: "Hi." });
  await expect(running.step(assistantMessage("a"))).rejects.toThrow("Call start() before step().");
  const starting = running.start();
  await expect(running.step(assistantMessage("a"))).rejects.toThrow("Await");
  await starting;
  await expect(running.start()).rejects.toThrow("already started");
  expect(running.messages).toHaveLength(1);
});

test("ends before the first turn when a stop condition is true", async () => {
  const environment = defineEnvironment({ ...echo, episode: { stop: { early: () => true } } });
  const running = episode(environment(), { prompt: "Hi." });
  expect(await running.start()).toEqual({ messages: [], isDone: true, stopReason: "early" });
  expect(await running.score()).toEqual({ reward: 0, scores: { steps: 0 } });
});

test("reports the first of several stop conditions", async () => {
  const environment = defineEnvironment({
    ...echo,
    respond: () => "go on",
    episode: {
      stop: { no: () => false, first: ({ turns }) => turns > 1, second: ({ turns }) => turns > 1 },
    },
  });
  const running = episode(environment(), { prompt: "Hi." });
  await running.start();
  expect((await running.step(assistantMessage("a"))).isDone).toBe(false);
  expect((await running.step(assistantMessage("b"))).stopReason).toBe("first");
});

test("is not truncated when the environment ends it in the last turn", async () => {
  const environment = defineEnvironment({
    ...echo,
    respond: () => end(),
    episode: { maxTurns: 1 },
  });
  const running = episode(environment(), { prompt: "Hi." });
  await running.start();
  expect((await running.step(assistantMessage("a"))).stopReason).toBe("end");
  expect(running.scoreContext().isTruncated).toBe(false);
});

test("applies the lower turn limit of environment and driver", async () => {
  const environment = defineEnvironment({
    ...echo,
    respond: () => "go on",
    episode: { maxTurns: 3 },
  });
  for (const [maxTurns, expected] of [
    [2, 2],
    [9, 3],
  ] as const) {
    const running = episode(environment(), { prompt: "Hi." }, { maxTurns });
    await running.start();
    while (!(await running.step(assistantMessage("a"))).isDone);
    expect(running.turns).toBe(expected);
    expect(running.stopReason).toBe("turns");
  }
});

test("ignores tool calls in an environment without tools", async () => {
  const running = episode(defineEnvironment(echo)(), { prompt: "Hi." });
  await running.start();
  const message = {
    ...assistantMessage("x"),
    tool_calls: [{ id: "1", type: "function" as const, function: { name: "f", arguments: "" } }],
  };
  expect(await running.step(message)).toMatchObject({ messages: [], stopReason: "end" });
});

test("runs close() once, and only after a start", async () => {
  const closed: number[] = [];
  const environment = defineEnvironment({ ...echo, episode: { close: () => void closed.push(1) } });
  const unstarted = episode(environment(), { prompt: "Hi." });
  await unstarted.close();
  expect(closed).toEqual([]);
  const running = episode(environment(), { prompt: "Hi." });
  await running.start();
  await Promise.all([running.close(), running.close()]);
  await running.close();
  expect(closed).toEqual([1]);
});

test("releases what setup() acquires after close()", async () => {
  const open = new Set<string>();
  const environment = defineEnvironment({
    ...echo,
    async setup() {
      await new Promise((resolve) => setTimeout(resolve, 5));
      open.add("box");
      return { box: "box" };
    },
    episode: { close: ({ state }) => void open.delete(state.box) },
    rubric: { zero: () => 0 },
  });
  const running = episode(environment(), { prompt: "Hi." });
  const starting = running.start();
  await running.close();
  await expect(starting).rejects.toThrow("closed");
  expect(open).toEqual(new Set());
});

test("supports tools and respond together", async () => {
  const environment = defineEnvironment({
    ...echo,
    tools: {
      look: {
        description: "Look",
        input: z.object({}),
        execute: (_input, { state }) => `look ${(state.steps += 1)}`,
      },
    },
    respond: ({ reply, state }) => (reply === "out" ? end(`after ${state.steps}`) : "and now?"),
  });
  const running = episode(environment(), { prompt: "Hi." });
  await running.start();
  const look = {
    ...assistantMessage("let me see"),
    tool_calls: [{ id: "1", type: "function" as const, function: { name: "look", arguments: "" } }],
  };
  const observed: unknown[] = [];
  for (const message of [look, assistantMessage("hm"), look, assistantMessage("out")])
    observed.push((await running.step(message)).messages);
  expect(observed).toEqual([
    [{ role: "tool", tool_call_id: "1", content: "look 1" }],
    [{ role: "user", content: "and now?" }],
    [{ role: "tool", tool_call_id: "1", content: "look 2" }],
    [{ role: "user", content: "after 2" }],
  ]);
});

test("respond may return messages", async () => {
  const answer = [{ role: "system", content: "Time is up." } as const, assistantMessage("(pause)")];
  const environment = defineEnvironment({ ...echo, respond: () => answer });
  const running = episode(environment(), { prompt: "Hi." });
  await running.start();
  expect((await running.step(assistantMessage("a"))).messages).toEqual(answer);
});

import fc from "fast-check";
import { expect, test } from "vitest";

import type { KeyedExample, RolloutKey } from "../../src/engine.ts";
import {
  assistantMessage,
  ConfigError,
  defineEnvironment,
  type Model,
  type Rollout,
  type RolloutEvent,
  rollouts,
  type RolloutsOptions,
} from "../../src/index.ts";
import { scriptedModel } from "../../src/testing/index.ts";

const pause = (milliseconds = 0): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
const hello = scriptedModel("hello");
const hang: Model = () => new Promise(() => {});

const numbers = {
  name: "numbers",
  dataset: function* (): Generator<{ prompt: string; id: string }> {
    for (let number = 0; ; number += 1) yield { prompt: `Number ${number}.`, id: `n${number}` };
  },
  rubric: { one: () => 1 },
};
const plain = defineEnvironment(numbers);

/** An environment whose group score is the rollout's place in its group. */
const ranked = defineEnvironment({
  ...numbers,
  rubric: {
    place: { group: (members) => members.map((_, place) => place) },
    size: { weight: 0, group: (members) => members.map(() => members.length) },
  },
});

async function collect<R>(played: AsyncIterable<R>): Promise<R[]> {
  const all: R[] = [];
  for await (const rollout of played) all.push(rollout);
  return all;
}

const nameOf = ({ exampleKey, rolloutIndex }: RolloutKey): string =>
  `${exampleKey}/${rolloutIndex}`;

function namesOf(examples: number, rolloutsPerExample: number): string[] {
  return Array.from({ length: examples }, (_, number) =>
    Array.from({ length: rolloutsPerExample }, (_, index) => `n${number}/${index}`),
  ).flat();
}

test("plays every rollout once, example by example, within the concurrency", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 9 }),
      fc.boolean(),
      async (examples, rolloutsPerExample, concurrency, isRanked) => {
        const started: string[] = [];
        const finished: string[] = [];
        let running = 0;
        const model: Model = async ({ seed = 0 }) => {
          running += 1;
          expect(running).toBeLessThanOrEqual(concurrency);
          for (let tick = 0; tick < seed % 7; tick += 1) await Promise.resolve();
          running -= 1;
          return { message: assistantMessage("hello"), finish: "stop" };
        };
        const played = await collect(
          rollouts(isRanked ? ranked() : plain(), {
            model,
            examples,
            rolloutsPerExample,
            concurrency,
            onEvent(event) {
              if (event.type === "start") started.push(nameOf(event));
              if (event.type === "finish") finished.push(nameOf(event));
            },
          }),
        );
        const expected = namesOf(examples, rolloutsPerExample);
        expect(started).toEqual(expected);
        expect(played.map(nameOf)).toEqual(finished);
        expect(finished.toSorted()).toEqual(expected.toSorted());
        expect(played.every(({ status }) => status === "scored")).toBe(true);
      },
    ),
    { numRuns: 40 },
  );
});

test("group scores receive the whole group in the order of the rollouts", async () => {
  const model: Model = async ({ seed = 0 }) => {
    await pause(seed % 5);
    return { message: assistantMessage("hello"), finish: "stop" };
  };
  const played = await collect(rollouts(ranked(), { model, examples: 4, rolloutsPerExample: 3 }));
  for (const rollout of played)
    expect(rollout).toMatchObject({ scores: { place: rollout.rolloutIndex, size: 3 } });
});

test("group scores do not receive failed rollouts", async () => {
  const model: Model = async ({ seed }) => {
    if (seed === seeds[1]) throw new Error("out of paper");
    return { message: assistantMessage("hello"), finish: "stop" };
  };
  const seeds: (number | undefined)[] = [];
  const note: Model = async (request) => {
    seeds.push(request.seed);
    return hello(request);
  };
  const options = { examples: 1, rolloutsPerExample: 3, concurrency: 1 };
  await collect(rollouts(ranked(), { model: note, ...options }));
  const played = await collect(rollouts(ranked(), { model, ...options }));
  expect(played).toMatchObject([
    { status: "scored", scores: { place: 0, size: 2 } },
    { status: "failed", error: { code: "model" } },
    { status: "scored", scores: { place: 1, size: 2 } },
  ]);
});

test("skips existing rollouts", async () => {
  const skip = ({ exampleKey, rolloutIndex }: RolloutKey) =>
    exampleKey === "n0" || rolloutIndex === 1;
  const options = { model: hello, examples: 3, rolloutsPerExample: 2, concurrency: 1, skip };
  expect((await collect(rollouts(plain(), options))).map(nameOf)).toEqual(["n1/0", "n2/0"]);
  expect((await collect(rollouts(ranked(), options))).map(nameOf)).toEqual([
    "n1/0",
    "n1/1",
    "n2/0",
    "n2/1",
  ]);
});

test("a cancellation ends running rollouts as cancelled and starts no more", async () => {
  const controller = new AbortController();
  let calls = 0;
  const model: Model = () => {
    calls += 1;
    if (calls === 4) setTimeout(() => controller.abort(), 2);
    return new Promise(() => {});
  };
  const played = await collect(
    rollouts(plain(), { model, examples: Infinity, concurrency: 4, signal: controller.signal }),
  );
  expect(calls).toBe(4);
  expect(played.map((rollout) => rollout.status === "failed" && rollout.error.code)).toEqual(
    Array(4).fill("cancelled"),
  );
});

test("a cancellation yields and closes the rollouts of incomplete groups", async () => {
  const controller = new AbortController();
  const events: string[] = [];
  let open = 0;
  const environment = defineEnvironment({
    ...numbers,
    setup: () => ({ box: (open += 1) }),
    episode: { close: () => void (open -= 1) },
    rubric: { place: { group: (members) => members.map(() => 0) } },
  });
  let calls = 0;
  const model: Model = (request) => {
    calls += 1;
    if (calls < 3) return hello(request);
    setTimeout(() => controller.abort(), 5);
    return hang(request);
  };
  const played = await collect(
    rollouts(environment(), {
      model,
      examples: 1,
      rolloutsPerExample: 4,
      concurrency: 1,
      signal: controller.signal,
      onEvent: (event) => void (event.type === "finish" && events.push(nameOf(event))),
    }),
  );
  expect(played.map(nameOf).toSorted()).toEqual(["n0/0", "n0/1", "n0/2"]);
  expect(played.every((rollout) => rollout.status === "failed")).toBe(true);
  expect(events.toSorted()).toEqual(["n0/0", "n0/1", "n0/2"]);
  expect(open).toBe(0);
});

test("leaving the loop closes every episode, also in incomplete groups", async () => {
  for (const groupScore of [true, false]) {
    let open = 0;
    const environment = defineEnvironment({
      ...numbers,
      setup: () => ({ box: (open += 1) }),
      episode: { close: () => void (open -= 1) },
      rubric: {
        one: groupScore
          ? { group: (members: readonly unknown[]) => members.map(() => 0) }
          : () => 1,
      },
    });
    let calls = 0;
    const model: Model = (request) => {
      calls += 1;
      return calls > 6 ? hang(request) : hello(request);
    };
    for await (const _ of rollouts(environment(), { model, rolloutsPerExample: 5, concurrency: 2 }))
      break;
    await pause(5);
    expect(open).toBe(0);
  }
});

test("a dataset that hangs does not delay a cancelled run", async () => {
  const environment = defineEnvironment({
    ...numbers,
    async *dataset() {
      yield { prompt: "One." };
      await new Promise(() => {});
      yield { prompt: "Two." };
    },
  });
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 20);
  const { signal } = controller;
  const played = await collect(
    rollouts(environment(), { model: hello, rolloutsPerExample: 1, signal }),
  );
  expect(played).toMatchObject([{ status: "scored" }]);
});

test("a dataset that throws ends the run after the started rollouts", async () => {
  const environment = defineEnvironment({
    ...numbers,
    *dataset() {
      yield { prompt: "One." };
      throw new Error("no more rows");
    },
  });
  const seen: Rollout[] = [];
  const consume = async () => {
    for await (const rollout of rollouts(environment(), { model: hello })) seen.push(rollout);
  };
  await expect(consume()).rejects.toThrow("no more rows");
  expect(seen).toHaveLength(3);
});

test("rejects a row without a prompt with its number", async () => {
  const environment = defineEnvironment({
    ...numbers,
    dataset: () => [{ prompt: "One." }, { text: "Two." } as unknown as { prompt: string }],
  });
  await expect(collect(rollouts(environment(), { model: hello }))).rejects.toThrow(
    "Example 1 of the dataset has no prompt. A prompt is text or a list of messages.",
  );
});

test("2,000 rollouts on one signal cause no warning", async () => {
  const warnings: Error[] = [];
  const listener = (warning: Error) => void warnings.push(warning);
  process.on("warning", listener);
  const controller = new AbortController();
  const played = await collect(
    rollouts(plain(), {
      model: (request) => pause(5).then(() => hello(request)),
      examples: 2000,
      rolloutsPerExample: 1,
      concurrency: 2000,
      rolloutTimeout: 60_000,
      signal: controller.signal,
    }),
  );
  await pause();
  process.off("warning", listener);
  expect(played).toHaveLength(2000);
  expect(warnings).toEqual([]);
});

test("rejects invalid options before the first rollout", async () => {
  const model: Model = () => Promise.reject(new Error("must not be called"));
  const run = (options: Partial<RolloutsOptions>) =>
    collect(rollouts(plain(), { model, ...options }));
  await expect(run({ concurrency: 0, rolloutTimeout: -1, examples: 1.5 })).rejects.toThrow(
    new ConfigError("These options are not valid:", [
      { path: ["examples"], message: "1.5 is not a whole number of at least 1." },
      { path: ["concurrency"], message: "0 is not a whole number of at least 1." },
      { path: ["rolloutTimeout"], message: "-1 is not a whole number of at least 1." },
    ]),
  );
  await expect(run({ split: "train" })).rejects.toThrow(
    'numbers has no split "train": its dataset is not split',
  );
});

test("emits events for each rollout", async () => {
  const events: RolloutEvent[] = [];
  const options = { model: hello, examples: 1, rolloutsPerExample: 1 };
  await collect(rollouts(plain(), { ...options, onEvent: (event) => void events.push(event) }));
  expect(events).toMatchObject([
    { type: "start", exampleKey: "n0", rolloutIndex: 0 },
    { type: "turn", exampleKey: "n0", turn: { message: assistantMessage("hello") } },
    { type: "finish", exampleKey: "n0", rollout: { status: "scored" } },
  ]);
});

test("plays the same examples for the same seed, shuffled or not", async () => {
  const keys = async (seed: number, shuffle: boolean): Promise<string[]> => {
    const environment = defineEnvironment({
      ...numbers,
      dataset: () => Array.from({ length: 30 }, (_, index) => ({ prompt: "x", id: `n${index}` })),
    });
    const options = { model: hello, examples: 10, rolloutsPerExample: 1, concurrency: 1 };
    const played = await collect(rollouts(environment(), { ...options, seed, shuffle }));
    return played.map(({ exampleKey }: { exampleKey: KeyedExample["key"] }) => exampleKey);
  };
  expect(await keys(1, true)).toEqual(await keys(1, true));
  expect(await keys(1, true)).not.toEqual(await keys(2, true));
  expect(await keys(1, false)).toEqual(await keys(2, false));
});

import { describe, expect, test, vi } from "vitest";

import { type ExamplesOptions, splitSizesOf, splitsOf } from "../../src/definition/read-dataset.ts";
import { examples } from "../../src/engine.ts";
import { dataset, defineEnvironment, type Example, type Rows } from "../../src/index.ts";

const rubric = { zero: () => 0 };
const rows = (name: string, count = 3) =>
  Array.from({ length: count }, (_, index) => ({ prompt: `${name} ${index}` }));

async function promptsOf(...options: Parameters<typeof examples>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const { example } of examples(...options)) all.push(example.prompt);
  return all;
}

const divided = defineEnvironment({
  name: "divided",
  dataset: () => ({ train: rows("train"), eval: rows("eval"), ["__proto__"]: rows("proto") }),
  rubric,
});

test("selects the split eval if it exists, else the first", async () => {
  const other = defineEnvironment({
    name: "other",
    dataset: () => ({ easy: rows("easy", 1), hard: rows("hard", 1) }),
    rubric,
  });
  expect(await promptsOf(divided(), { count: 1 })).toEqual(["eval 0"]);
  expect(await promptsOf(divided(), { count: 1, split: "train" })).toEqual(["train 0"]);
  expect(await promptsOf(other())).toEqual(["easy 0"]);
  expect(await splitsOf(other())).toEqual(["easy", "hard"]);
});

test.for(["tset", "constructor", ""])(
  "rejects an unknown split, %j, with the existing names",
  async (name) => {
    await expect(promptsOf(divided(), { split: name })).rejects.toThrow(
      `divided has no split ${JSON.stringify(name)}. It has: train, eval`,
    );
  },
);

test("accepts any sync or async iterable, or a promise of one", async () => {
  const expected = ["x 0", "x 1", "x 2"];
  const datasets = [
    () => rows("x"),
    () => new Set(rows("x")),
    () => Promise.resolve(rows("x")),
    function* () {
      yield* rows("x");
    },
    async function* () {
      yield* rows("x");
    },
    async () => ({ eval: rows("x") }),
  ];
  for (const dataset of datasets) {
    const environment = defineEnvironment({ name: "any", dataset: dataset as () => [], rubric });
    expect(await promptsOf(environment())).toEqual(expected);
  }
});

test("accepts the result of dataset.split()", async () => {
  const environment = defineEnvironment({
    name: "parts",
    dataset: () => dataset.split(rows("x", 100), { train: 1, eval: 1 }),
    rubric,
  });
  const [train, evaluation] = [
    await promptsOf(environment(), { split: "train" }),
    await promptsOf(environment(), { split: "eval" }),
  ];
  expect(new Set([...train, ...evaluation]).size).toBe(100);
});

test("yields nothing for an empty dataset and rejects a record without splits", async () => {
  const none = defineEnvironment({ name: "none", dataset: () => [], rubric });
  const empty = defineEnvironment({ name: "empty", dataset: () => ({}), rubric });
  expect(await promptsOf(none())).toEqual([]);
  await expect(promptsOf(empty())).rejects.toThrow(
    "The dataset of empty has neither rows nor splits",
  );
});

test("the seed determines the dataset's draws and the shuffled order", async () => {
  const drawn = defineEnvironment({
    name: "drawn",
    *dataset({ random }) {
      for (;;) yield { prompt: `${random.int(1e9)}` };
    },
    rubric,
  });
  const first = await promptsOf(drawn(), { count: 5, seed: 1 });
  expect(await promptsOf(drawn(), { count: 5, seed: 1 })).toEqual(first);
  expect(await promptsOf(drawn(), { count: 5, seed: 2 })).not.toEqual(first);
  const shuffled = await promptsOf(divided(), { shuffle: true, seed: 5, split: "train" });
  expect(shuffled.toSorted()).toEqual(["train 0", "train 1", "train 2"]);
});

test("an example keeps its position and key when the order is shuffled", async () => {
  const environment = defineEnvironment({ name: "n", dataset: () => rows("x", 20), rubric });
  const straight = new Map<number, string>();
  for await (const { index, key } of examples(environment())) straight.set(index, key);
  for await (const { index, key } of examples(environment(), { shuffle: true }))
    expect(straight.get(index)).toBe(key);
});

test("a dataset that throws fails with the code environment", async () => {
  const broken = defineEnvironment({
    name: "broken",
    dataset: (): { prompt: string }[] => {
      throw new Error("no file");
    },
    rubric,
  });
  await expect(promptsOf(broken())).rejects.toMatchObject({
    code: "environment",
    message: "the dataset: no file",
  });
});

describe("a signal", () => {
  function* endless() {
    for (let index = 0; ; index += 1) yield { prompt: `${index}` };
  }
  async function* hanging() {
    yield { prompt: "0" };
    await new Promise(() => {});
  }
  const cases: readonly (readonly [string, () => Rows<Example>, ExamplesOptions])[] = [
    [
      "rows of which none is selected",
      endless,
      { select: (all) => dataset.filter(all, () => false) },
    ],
    ["rows that a filter leaves out", () => dataset.filter(endless(), () => false), {}],
    ["a shuffle", endless, { shuffle: true }],
    ["a source that hangs", hanging, {}],
  ];

  test.for(cases)("ends %s", async ([, source, options]) => {
    const environment = defineEnvironment({ name: "long", dataset: source, rubric });
    const { signal } = stoppedAfter(60);
    const start = performance.now();
    for await (const _ of examples(environment(), { ...options, signal }));
    expect(signal.aborted).toBe(true);
    expect(performance.now() - start).toBeLessThan(2000);
  });

  test.for([false, true])("closes the source, with a filter: %s", async (isFiltered) => {
    let isClosed = false;
    function* closable() {
      try {
        yield* endless();
      } finally {
        isClosed = true;
      }
    }
    const source = () => (isFiltered ? dataset.filter(closable(), () => false) : closable());
    const environment = defineEnvironment({ name: "long", dataset: source, rubric });
    for await (const _ of examples(environment(), { signal: stoppedAfter(5).signal }));
    await vi.waitFor(() => expect(isClosed).toBe(true), 120_000);
  });
});

function stoppedAfter(milliseconds: number): AbortController {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), milliseconds);
  return controller;
}

describe("splitSizesOf()", () => {
  function* endless() {
    for (;;) yield { prompt: "again" };
  }
  const sizesOf = (dataset: () => unknown, most?: number) =>
    splitSizesOf(
      defineEnvironment({ name: "sized", dataset: dataset as () => [], rubric })(),
      most,
    );

  test("returns the length of an array of any size", async () => {
    const train = Array.from({ length: 20_000 }, () => ({ prompt: "" }));
    expect(await sizesOf(() => ({ train, eval: [] }))).toEqual([
      { name: "train", size: 20_000 },
      { name: "eval", size: 0 },
    ]);
  });

  test("does not read rows that have a size", async () => {
    const remote = (size: number) => ({
      size,
      async *[Symbol.asyncIterator]() {
        yield* [];
        throw new Error("no network");
      },
    });
    const splits = { train: remote(7473), eval: remote(Infinity) };
    expect(await sizesOf(() => splits)).toEqual([
      { name: "train", size: 7473 },
      { name: "eval", size: null },
    ]);
  });

  test("counts generated rows up to a limit", async () => {
    const three = async function* () {
      yield* rows("x");
    };
    expect(await sizesOf(three)).toEqual([{ name: null, size: 3 }]);
    expect(await sizesOf(three, 3)).toEqual([{ name: null, size: 3 }]);
    expect(await sizesOf(three, 2)).toEqual([{ name: null, size: null }]);
    expect(await sizesOf(endless)).toEqual([{ name: null, size: null }]);
  });

  test("fails with the code environment when rows cannot be read", async () => {
    const unreadable = function* () {
      yield { prompt: "x" };
      throw new Error("the file is damaged");
    };
    await expect(sizesOf(unreadable)).rejects.toMatchObject({
      code: "environment",
      message: expect.stringContaining("the file is damaged"),
    });
  });
});

describe("a selection of positions", () => {
  /** Rows that can be read from any position; those that were read. */
  function seekable(row: (index: number) => Example) {
    const read: number[] = [];
    async function* from(start: number): AsyncGenerator<Example> {
      for (let index = start; ; index += 1) {
        read.push(index);
        yield row(index);
      }
    }
    const rows = { [Symbol.asyncIterator]: () => from(0), from };
    return { environment: defineEnvironment({ name: "s", dataset: () => rows, rubric })(), read };
  }
  const select: ExamplesOptions["select"] = async function* ({ from }) {
    for (const start of [700, 900]) yield* dataset.take(from!(start), 2);
  };

  test("does not read the rows between", async () => {
    const { environment, read } = seekable((index) => ({ prompt: "x", id: `row ${index}` }));
    const rows = await Array.fromAsync(examples(environment, { select }));
    expect(rows.map(({ index, key }) => [index, key])).toEqual(
      [700, 701, 900, 901].map((index) => [index, `row ${index}`]),
    );
    expect(read).toEqual([700, 701, 900, 901]);
  });

  test("gives the rows that it reads different keys, and rejects equal ids", async () => {
    const { environment } = seekable(() => ({ prompt: "x" }));
    const keys = (await Array.fromAsync(examples(environment, { select }))).map(({ key }) => key);
    expect(keys.map((key) => key.slice(16))).toEqual(["", "-2", "-3", "-4"]);
    const equal = seekable((index) => ({ prompt: "x", id: `${index % 200}` }));
    await expect(Array.fromAsync(examples(equal.environment, { select }))).rejects.toThrow(
      'Examples 700 and 900 of the dataset have the same id "100"',
    );
  });

  test("is not offered for other datasets", async () => {
    let isOffered = true;
    const environment = defineEnvironment({ name: "s", dataset: () => rows("x"), rubric })();
    const all = examples(environment, {
      select(source) {
        isOffered = source.from !== undefined;
        return source;
      },
    });
    expect(await Array.fromAsync(all)).toHaveLength(3);
    expect(isOffered).toBe(false);
  });
});

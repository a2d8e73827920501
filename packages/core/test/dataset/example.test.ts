import fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { Example } from "../../src/dataset/example.ts";
import { checkIds, ExampleKeys, withKeys } from "../../src/dataset/keyed-examples.ts";
import { ConfigError, dataset, random } from "../../src/index.ts";

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** An endless source that counts how often it is read and records whether it was closed. */
function counter() {
  const seen = { read: 0, isClosed: false };
  const rows = function* (): Generator<number> {
    try {
      for (;;) yield (seen.read += 1) - 1;
    } finally {
      seen.isClosed = true;
    }
  };
  return { seen, rows: rows() };
}

describe("lazy views", () => {
  test("equal the same operations on arrays, for sync and async rows", async () => {
    const isEven = (row: number): boolean => row % 2 === 0;
    const double = (row: number, index: number): number => row * 2 + index;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer()),
        fc.nat({ max: 20 }),
        fc.boolean(),
        async (rows, count, isAsync) => {
          const source = () =>
            isAsync
              ? (async function* () {
                  yield* rows;
                })()
              : rows;
          expect(await collect(dataset.take(source(), count))).toEqual(rows.slice(0, count));
          expect(await collect(dataset.map(source(), double))).toEqual(rows.map(double));
          expect(await collect(dataset.filter(source(), isEven))).toEqual(rows.filter(isEven));
        },
      ),
    );
  });

  test("read only the rows that they need, and close their source", async () => {
    const { seen, rows } = counter();
    const odd = dataset.filter(rows, async (row) => row % 2 === 1);
    const squares = dataset.map(odd, async (row) => row * row);
    expect(seen.read).toBe(0);
    expect(await collect(dataset.take(squares, 3))).toEqual([1, 9, 25]);
    expect(seen).toEqual({ read: 6, isClosed: true });
  });

  test("take(rows, 0) does not read", async () => {
    const { seen, rows } = counter();
    expect(await collect(dataset.take(rows, 0))).toEqual([]);
    expect(seen.read).toBe(0);
  });
});

describe("shuffle", () => {
  test("returns a permutation, the same for the same stream", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer()),
        fc.nat(),
        fc.integer({ min: 1, max: 9 }),
        async (rows, seed, buffer) => {
          const order = await collect(dataset.shuffle(rows, random(seed), buffer));
          expect(order.toSorted()).toEqual(rows.toSorted());
          expect(await collect(dataset.shuffle(rows, random(seed), buffer))).toEqual(order);
        },
      ),
    );
  });

  test("works on infinite rows, and moves none forward by more than the buffer", async () => {
    const { seen, rows } = counter();
    const order = await collect(dataset.take(dataset.shuffle(rows, random(1), 50), 500));
    expect(seen).toEqual({ read: 550, isClosed: true });
    order.forEach((row, place) => expect(place).toBeGreaterThanOrEqual(row - 50));
    expect(order).not.toEqual([...order].toSorted((a, b) => a - b));
  });

  test("shuffles a dataset that fits into the buffer uniformly", async () => {
    const firsts = new Set<number>();
    for (let seed = 0; seed < 200; seed += 1)
      firsts.add((await collect(dataset.shuffle(Array(8).keys(), random(seed))))[0]!);
    expect(firsts.size).toBe(8);
  });
});

describe("split", () => {
  const rows = Array.from({ length: 4000 }, (_, number) => ({ prompt: `Row ${number}` }));

  test("puts every row into one split, in order, by the shares", () => {
    const parts = dataset.split(rows, { train: 8, eval: 1, test: 1 });
    expect(Object.keys(parts)).toEqual(["train", "eval", "test"]);
    expect(Object.values(parts).flat().toSorted(byPrompt)).toEqual(rows.toSorted(byPrompt));
    expect(parts.train.length).toBeGreaterThan(3100);
    expect(parts.train.length).toBeLessThan(3300);
    for (const part of [parts.eval, parts.test]) {
      expect(part.length).toBeGreaterThan(330);
      expect(part.length).toBeLessThan(470);
      expect(part).toEqual(rows.filter((row) => part.includes(row)));
    }
  });

  test("keeps a row in its split when other rows change", () => {
    const shares = { train: 3, eval: 1 };
    const before = dataset.split(rows, shares);
    fc.assert(
      fc.property(fc.shuffledSubarray(rows.slice(0, 60)), (some) => {
        const after = dataset.split(some, shares);
        for (const row of some) expect(after.eval.includes(row)).toBe(before.eval.includes(row));
      }),
      { numRuns: 20 },
    );
  });

  test("ignores the order of a row's fields", () => {
    const turned = rows.map(({ prompt }) => ({ extra: 1, prompt }));
    const straight = rows.map(({ prompt }) => ({ prompt, extra: 1 }));
    expect(dataset.split(turned, { a: 1, b: 1 }).a.length).toBe(
      dataset.split(straight, { a: 1, b: 1 }).a.length,
    );
  });

  test("leaves a split with the share 0 empty", () => {
    expect(dataset.split(rows, { none: 0, all: 1, rest: 0 })).toEqual({
      none: [],
      all: rows,
      rest: [],
    });
  });

  test("divides asynchronous rows as it divides an array, whichever split is read first", async () => {
    const shares = { train: 3, eval: 1 };
    const some = rows.slice(0, 50);
    const reread = {
      async *[Symbol.asyncIterator]() {
        yield* some;
      },
    };
    for (const source of [reread, reread[Symbol.asyncIterator]()]) {
      const parts = dataset.split(source, shares);
      const [evaluated, trained] = await Promise.all([collect(parts.eval), collect(parts.train)]);
      expect({ train: trained, eval: evaluated }).toEqual(dataset.split(some, shares));
      expect(await collect(parts.eval)).toEqual(evaluated);
    }
  });

  test("reads an infinite generator only as far as a split is read", async () => {
    const endless = dataset.map(counter().rows, (number) => ({ number }));
    const parts = dataset.split(endless, { train: 1, eval: 1 });
    expect(await collect(dataset.take(parts.eval, 5))).toHaveLength(5);
    expect(await collect(dataset.take(parts.train, 5))).toHaveLength(5);
  });

  test.for([{}, { a: 0 }, { a: 1, b: -1 }, { a: Number.NaN }, { a: Infinity }])(
    "rejects the shares %o",
    (shares) => {
      expect(() => dataset.split(rows, shares as Record<string, number>)).toThrow(
        "dataset.split() requires finite shares of at least 0",
      );
    },
  );
});

const byPrompt = (a: Example, b: Example): number => (a.prompt < b.prompt ? -1 : 1);

describe("keys", () => {
  async function keysOf(rows: readonly Example[]): Promise<string[]> {
    return (await collect(withKeys(rows))).map(({ key }) => key);
  }

  test("are the id, or a hash of the content that ignores the order of fields", async () => {
    const [own, first, second] = await keysOf([
      { prompt: "a", id: "mine" },
      { prompt: "a", info: { x: 1, y: [2] } } as Example,
      { info: { y: [2], x: 1 }, prompt: "a" } as Example,
    ]);
    expect(own).toBe("mine");
    expect(first).toMatch(/^[0-9a-f]{16}$/);
    expect(second).toBe(`${first}-2`);
  });

  test("have a number for equal rows without an id", async () => {
    const [first, second, third] = await keysOf([
      { prompt: "a" },
      { prompt: "a" },
      { prompt: "a" },
    ]);
    expect([second, third]).toEqual([`${first}-2`, `${first}-3`]);
  });

  test("are unique, also when earlier keys are no longer remembered", async () => {
    const rows = ["a", "b", "a", "c", "a", "d", "d"].map((prompt) => ({ prompt }));
    const all = await collect(withKeys(rows, undefined, new ExampleKeys(3)));
    expect(new Set(all.map(({ key }) => key)).size).toBe(rows.length);
    expect(all.slice(0, 3).map(({ key }) => key)).toEqual(await keysOf(rows.slice(0, 3)));
    expect(all.slice(3).map(({ key }) => key.slice(16))).toEqual(["-4", "-5", "-6", "-7"]);
  });

  test("reject two rows with the same id, and name their positions", async () => {
    const rows = ["a", "b", "a"].map((id) => ({ prompt: "x", id }));
    const message =
      'Examples 0 and 2 of the dataset have the same id "a". Rename one of them, or omit the ids.';
    await expect(keysOf(rows)).rejects.toThrow(new ConfigError(message));
    expect(() => checkIds(rows)).toThrow(new ConfigError(message));
  });

  test("compare a later id with the remembered ones only", async () => {
    const rowsOf = (...ids: readonly string[]) => ids.map((id) => ({ prompt: "x", id }));
    const all = await collect(
      withKeys(rowsOf("a", "b", "c", "d", "d"), undefined, new ExampleKeys(3)),
    );
    expect(all.map(({ key }) => key)).toEqual(["a", "b", "c", "d", "d"]);
    await expect(
      collect(withKeys(rowsOf("a", "b", "c", "d", "b"), undefined, new ExampleKeys(3))),
    ).rejects.toThrow("Examples 1 and 4 of the dataset have the same id");
  });

  test.each([7, null, "", { n: 1 }])("reject the id %j, which is not a string", async (id) => {
    await expect(keysOf([{ prompt: "x", id: id as never }])).rejects.toThrow(
      new ConfigError(
        `Example 0 of the dataset has the id ${JSON.stringify(id)}. An id is a string that is not empty: write String(id), or omit the id.`,
      ),
    );
  });

  test("are unique for any distinct ids", async () => {
    const id = fc.constantFrom("a", "a-2", "a-3", "a-2-2", "b", "__proto__");
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(id), async (ids) => {
        expect(await keysOf(ids.map((id) => ({ prompt: "x", id })))).toEqual(ids);
      }),
    );
  });

  test.for([
    ["a date", { at: new Date(0) }, "at is a Date"],
    ["a number that JSON lacks", { list: [1, Number.NaN] }, "list[1] is NaN"],
    ["a function", { check: { run: () => 1 } }, "check.run is a function"],
    ["a map", { map: new Map() }, "map is a Map"],
    ["a big number", { big: 1n }, "big is a bigint"],
  ] as const)("rejects %s in a row, with its path", async ([, extra, message]) => {
    await expect(keysOf([{ prompt: "ok" }, { prompt: "x", ...extra }])).rejects.toThrow(
      `Example 1 of the dataset is not JSON: ${message}.`,
    );
  });

  test("rejects a row that contains itself", async () => {
    const row: Record<string, unknown> = { prompt: "x" };
    row["self"] = row;
    await expect(keysOf([row as unknown as Example])).rejects.toThrow(
      "is not JSON: it contains itself",
    );
  });

  test("accepts an undefined field", async () => {
    const [bare, open] = await keysOf([
      { prompt: "a" },
      { prompt: "a", answer: undefined } as Example,
    ]);
    expect(open).toBe(`${bare}-2`);
  });
});

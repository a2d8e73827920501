import { describe, expect, test } from "vitest";

import { onAbort, untilAborted } from "../src/abort.ts";

const pause = (milliseconds = 0): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

describe("onAbort", () => {
  test("calls all callbacks once", () => {
    const controller = new AbortController();
    const called: string[] = [];
    onAbort(controller.signal, () => called.push("a"));
    onAbort(controller.signal, () => called.push("b"));
    controller.abort();
    controller.abort();
    expect(called).toEqual(["a", "b"]);
  });

  test("does not call a removed callback", () => {
    const controller = new AbortController();
    const called: string[] = [];
    const unlink = onAbort(controller.signal, () => called.push("a"));
    onAbort(controller.signal, () => called.push("b"));
    unlink();
    controller.abort();
    expect(called).toEqual(["b"]);
  });

  test("calls immediately for an aborted signal and never without a signal", () => {
    const called: string[] = [];
    onAbort(AbortSignal.abort(), () => called.push("a"));
    onAbort(undefined, () => called.push("b"))();
    expect(called).toEqual(["a"]);
  });

  test("lets a callback remove another during the abort", () => {
    const controller = new AbortController();
    const called: string[] = [];
    onAbort(controller.signal, () => {
      called.push("a");
      unlink();
    });
    const unlink = onAbort(controller.signal, () => called.push("b"));
    controller.abort();
    expect(called).toEqual(["a"]);
  });
});

describe("untilAborted", () => {
  async function* counting(seen: { isClosed: boolean }, hangAt = Infinity) {
    try {
      for (let item = 0; item < 5; item += 1) {
        if (item === hangAt) await new Promise(() => {});
        yield item;
      }
    } finally {
      seen.isClosed = true;
    }
  }

  async function collect<Item>(items: AsyncIterable<Item>, count = Infinity): Promise<Item[]> {
    const all: Item[] = [];
    for await (const item of items) {
      all.push(item);
      if (all.length === count) break;
    }
    return all;
  }

  test("yields every item and closes the source when the loop ends early", async () => {
    const seen = { isClosed: false };
    const { signal } = new AbortController();
    expect(await collect(untilAborted(counting(seen), signal))).toEqual([0, 1, 2, 3, 4]);
    const early = { isClosed: false };
    expect(await collect(untilAborted(counting(early), signal), 2)).toEqual([0, 1]);
    await pause();
    expect([seen.isClosed, early.isClosed]).toEqual([true, true]);
  });

  test("throws the error of the source", async () => {
    const source = async function* (): AsyncGenerator<number> {
      yield 1;
      throw new Error("no more rows");
    };
    const { signal } = new AbortController();
    await expect(collect(untilAborted(source(), signal))).rejects.toThrow("no more rows");
  });

  test("ends at the abort, also while the source hangs", async () => {
    const controller = new AbortController();
    const items = collect(untilAborted(counting({ isClosed: false }, 2), controller.signal));
    setTimeout(() => controller.abort(), 5);
    expect(await items).toEqual([0, 1]);
  });

  test("closes a source that does not hang at the abort", async () => {
    const seen = { isClosed: false };
    expect(await collect(untilAborted(counting(seen), AbortSignal.abort()))).toEqual([]);
    await pause();
    expect(seen.isClosed).toBe(true);
  });
});

import { setTimeout } from "node:timers/promises";

import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { callEvents } from "../src/ors/event-stream.ts";
import { ToolCalls } from "../src/ors/tool-calls.ts";
import { eventsOf } from "./support/ors-client.ts";

const streamOf = async (result: Promise<string>, pingEvery?: number) =>
  (await Array.fromAsync(callEvents("id", result, pingEvery))).join("");

describe("a call's event stream", () => {
  test("carries any JSON to clients that strip leading white space", async () => {
    const unit = fc.oneof(
      {
        weight: 3,
        arbitrary: fc.constantFrom(" ", "\u00a0", "\u0085", "\u2028", "\n", "😀", "\\"),
      },
      { weight: 1, arbitrary: fc.string({ unit: "binary", minLength: 1, maxLength: 1 }) },
    );
    const texts = fc.tuple(fc.array(unit), fc.nat({ max: 200 })).map(([units, times]) => {
      return units.join("").repeat(times + 1);
    });
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        const [start, ...chunks] = eventsOf(await streamOf(Promise.resolve(JSON.stringify(text))));
        expect(start).toEqual({ event: "task_id", data: "id" });
        const names = chunks.map(({ event }) => event);
        expect(names).toEqual([...names.slice(1).map(() => "chunk"), "end"]);
        for (const { data } of chunks) expect(data.length).toBeLessThanOrEqual(4096);
        expect(JSON.parse(chunks.map(({ data }) => data).join(""))).toBe(text);
      }),
    );
  });

  test("has pings while the call runs", async () => {
    const stream = await streamOf(setTimeout(100, "{}"), 10);
    expect(stream).toMatch(
      /^event: task_id\ndata: id\n\n(?:: ping\n\n)+event: end\ndata: \{\}\n\n$/u,
    );
  });

  test("ends with an error if the call fails", async () => {
    const stream = await streamOf(Promise.reject(new Error("/etc/keys")));
    expect(eventsOf(stream)[1]).toMatchObject({ event: "error", data: /log of the server/u });
    expect(stream).not.toMatch("/etc/keys");
  });
});

describe("a call's result", () => {
  test("is available until it expires", async () => {
    const calls = new ToolCalls({ retentionMs: 50, maxCharacters: 1e6 });
    const id = calls.add("a", Promise.resolve("{}"));
    expect(await calls.find("a", id)).toBe("{}");
    expect(calls.find("b", id)).toBeUndefined();
    await setTimeout(10);
    expect(await calls.find("a", id)).toBe("{}");
    await expect.poll(() => calls.find("a", id)).toBeUndefined();
  });

  test("is available while the call runs", async () => {
    const calls = new ToolCalls({ retentionMs: 10, maxCharacters: 1e6 });
    const { promise, resolve } = Promise.withResolvers<string>();
    const id = calls.add("a", promise);
    await setTimeout(50);
    const result = calls.find("a", id);
    resolve("{}");
    expect(await result).toBe("{}");
  });

  test("is evicted above the size limit, the oldest first and never the last", async () => {
    const calls = new ToolCalls({ retentionMs: 60_000, maxCharacters: 5000 });
    const ids: string[] = [];
    for (const length of [1000, 1000, 1000, 4000, 9000]) {
      ids.push(calls.add("a", Promise.resolve("a".repeat(length))));
      await setTimeout(1);
      const available = ids.map((id) => (calls.find("a", id) === undefined ? "-" : "+")).join("");
      expect(available).toBe({ 1: "+", 2: "++", 3: "+++", 4: "---+", 5: "----+" }[ids.length]);
    }
  });

  test("is available if the call failed", async () => {
    const calls = new ToolCalls();
    const id = calls.add("a", Promise.reject(new Error("no")));
    await setTimeout(1);
    await expect(calls.find("a", id)).rejects.toThrow("no");
  });
});

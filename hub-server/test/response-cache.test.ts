import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { responseCache } from "../src/registry/responses/response-cache.ts";

const cache = (maxBytes = 1_000_000) =>
  responseCache<string>({ maxBytes, bytesOf: (response) => response.length });
const question = { name: "@envs/chess", variant: "full" };

/** A response whose computation the test ends. */
function slow() {
  let made = 0;
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const make = (): Promise<string> => {
    made += 1;
    return promise;
  };
  return { make, resolve, reject, made: () => made };
}

describe("cached responses", () => {
  test("are computed once for concurrent requests", async () => {
    const { get, peek } = cache();
    const { make, resolve, made } = slow();
    const results = [get(question, make), get(question, make), get(question, make)];
    expect(peek(question.name, question.variant)).toBeUndefined();
    resolve("answer");
    expect(await Promise.all(results)).toEqual(["answer", "answer", "answer"]);
    expect([made(), peek(question.name, question.variant)]).toEqual([1, "answer"]);
  });

  test("are not cached when the package changes during the computation", async () => {
    const { get, peek, invalidate } = cache();
    const old = slow();
    const before = get(question, old.make);
    invalidate(question.name);
    const after = get(question, () => Promise.resolve("new"));
    expect(await after).toBe("new");
    old.resolve("old");
    expect(await before).toBe("old");
    expect(peek(question.name, question.variant)).toBe("new");
  });

  test("are never older than the last change, in any interleaving", async () => {
    type Step = {
      readonly kind: "ask" | "change" | "changeAll" | "finish";
      readonly which: number;
    };
    const step: fc.Arbitrary<Step> = fc.record({
      kind: fc.constantFrom("ask", "ask", "change", "changeAll", "finish", "finish"),
      which: fc.nat(20),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { get, peek, invalidate } = cache();
        const names = ["a", "b"];
        const truth: Record<string, number> = { a: 0, b: 0 };
        const open: (() => void)[] = [];
        const results: Promise<unknown>[] = [];
        const ask = (name: string): Promise<string> =>
          get({ name, variant: "k" }, async () => {
            const read = String(truth[name]);
            await new Promise<void>((resolve) => void open.push(resolve));
            return read;
          });
        for (const { kind, which } of steps) {
          const name = names[which % 2] ?? "a";
          if (kind === "ask") results.push(ask(name));
          if (kind === "change") {
            truth[name] = (truth[name] ?? 0) + 1;
            invalidate(name);
          }
          if (kind === "changeAll") {
            for (const each of names) truth[each] = (truth[each] ?? 0) + 1;
            invalidate(undefined);
          }
          if (kind === "finish") {
            open.splice(which % (open.length || 1), 1)[0]?.();
            await new Promise((resolve) => setImmediate(resolve));
          }
          for (const each of names) {
            const cached = peek(each, "k");
            if (cached !== undefined) expect(cached).toBe(String(truth[each]));
          }
        }
        const finishing = setInterval(() => open.splice(0).forEach((finish) => finish()), 0);
        await Promise.all(results);
        expect([await ask("a"), await ask("b")]).toEqual([String(truth["a"]), String(truth["b"])]);
        clearInterval(finishing);
      }),
    );
  });

  test("are computed again after a failure", async () => {
    const { get, peek } = cache();
    const failing = slow();
    const results = [get(question, failing.make), get(question, failing.make)];
    failing.reject(new Error("not now"));
    expect(await Promise.allSettled(results)).toMatchObject([
      { status: "rejected" },
      { status: "rejected" },
    ]);
    expect(peek(question.name, question.variant)).toBeUndefined();
    expect(await get(question, () => Promise.resolve("now"))).toBe("now");
  });

  test("are evicted above the size limit, and an oversized one is not cached", async () => {
    const { get, peek } = cache(50_000);
    const fill = (name: string, length: number) =>
      get({ name, variant: "k" }, () => Promise.resolve("x".repeat(length)));
    for (let index = 0; index < 10; index += 1) await fill(`p${index}`, 10_000);
    const cached = Array.from({ length: 10 }, (_, index) => peek(`p${index}`, "k") !== undefined);
    expect(cached).toEqual([...Array(6).fill(false), ...Array(4).fill(true)]);
    expect((await fill("huge", 60_000)).length).toBe(60_000);
    expect(peek("huge", "k")).toBeUndefined();
    for (const key of ["a", "b", "c", "d", "e", "f"])
      await get({ name: "many", variant: key }, () => Promise.resolve("x".repeat(10_000)));
    const many = ["a", "b", "c", "d", "e", "f"].filter((key) => peek("many", key) !== undefined);
    expect(many.length).toBeLessThan(5);
  });
});

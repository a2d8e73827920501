import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { sameMath } from "@envs/scores/maths";
import { installMathVerify } from "@envs/scores/maths/install";
import fc from "fast-check";
import { beforeAll, describe, expect, it, vi } from "vitest";

import { sameExactly } from "../../src/maths/exact/same-exactly.ts";
import { cacheFolder, snapshotFile } from "../../src/maths/math-verify/cache.ts";
import { mathVerify } from "../../src/maths/math-verify/math-verify.ts";
import { number, spellings } from "./support/numbers.ts";
import { readPairs, unboxed } from "./support/pairs.ts";
import { pythonVerdicts } from "./support/python.ts";

const caches = join(import.meta.dirname, "../../../../node_modules/.cache");
const pairs = readPairs();

beforeAll(async () => {
  vi.stubEnv("XDG_CACHE_HOME", caches);
  await installMathVerify();
});

describe("Math-Verify in Pyodide", () => {
  it("agrees with Math-Verify in CPython on all but one of an eighteenth of the pairs, and accepts none that it rejects", async () => {
    const texts = pairs.map(unboxed);
    const pending = pythonVerdicts(texts);
    // In Pyodide, all pairs would take two minutes: several take until their limit.
    const ours = new Map<number, boolean>();
    for (let index = 0; index < texts.length; index += 18)
      ours.set(index, await mathVerify(texts[index]!, { timeout: 10_000 }));
    const theirs = (await pending).map(({ same }) => same);
    const differ = [...ours].filter(([index, same]) => same !== theirs[index]);
    expect(differ.length, JSON.stringify(differ)).toBeLessThanOrEqual(1);
    expect(differ.filter(([, same]) => same)).toEqual([]);
    expect(theirs).toEqual(pairs.map(({ mathVerify: same }) => same));
  });

  it("accepts what the exact comparison accepts", async () => {
    const numbers = fc.sample(number, { numRuns: 20, seed: 1 }).flatMap((value) => {
      const [first = "", ...others] = spellings(value);
      return others.map((other) => ({ answer: other, reference: first }));
    });
    const same = pairs
      .flatMap((pair) => [unboxed(pair).answer, unboxed(pair).reference])
      .map((text) => ({ answer: text, reference: text }));
    const accepted = [...numbers, ...same].filter(({ answer, reference }) =>
      sameExactly(answer, reference),
    );
    expect(accepted.length).toBeGreaterThan(300);
    const verdicts = await pythonVerdicts(accepted);
    expect(accepted.filter((_, index) => !verdicts[index]!.same)).toEqual([]);
  });

  it("returns false for an answer that takes too long, and decides the next one", async () => {
    expect(await sameMath("9^{9^{9^{9}}}", "1", { timeout: 1000 })).toBe(false);
    expect(await sameMath("(x+1)^2", "x^2+2x+1")).toBe(true);
  });

  it("rejects with the signal's reason when the rollout ends", async () => {
    const controller = new AbortController();
    const comparison = sameMath("9^{9^{9^{9}}}", "1", { signal: controller.signal });
    controller.abort(new Error("The rollout has ended."));
    await expect(comparison).rejects.toThrow("The rollout has ended.");
  });

  it("is installed once", async () => {
    expect(await installMathVerify()).toEqual({ folder: cacheFolder(), isNew: false });
  });

  it("rejects a damaged snapshot", async () => {
    const folder = mkdtempSync(join(tmpdir(), "envs-maths-"));
    cpSync(join(caches, "envs"), join(folder, "envs"), { recursive: true });
    vi.stubEnv("XDG_CACHE_HOME", folder);
    try {
      writeFileSync(join(cacheFolder(), snapshotFile), "damaged");
      vi.resetModules();
      const fresh = await import("@envs/scores/maths");
      await expect(fresh.sameMath("x+1", "1+x")).rejects.toThrow("is damaged: its SHA-256 is not");
    } finally {
      vi.stubEnv("XDG_CACHE_HOME", caches);
      rmSync(folder, { recursive: true });
    }
  });
});

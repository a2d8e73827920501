import { expect, it } from "vitest";

import { alternate, type Pair, ratio } from "../src/budgets/alternate.ts";
import { excesses, least } from "../src/budgets/compare.ts";

const budgets = { rollout: 0.75, "rollout: memory, MiB": 30 };

it("passes costs that vary by a fifth", () => {
  expect(excesses({ rollout: 0.9, "rollout: memory, MiB": 24 }, budgets)).toEqual([]);
});

it("fails a cost that grew by a third", () => {
  expect(excesses({ rollout: 1, "rollout: memory, MiB": 30 }, budgets)).toEqual([
    "rollout: 1, 1.33 × its budget of 0.75",
  ]);
});

it("fails a cost without a budget, and a budget without a cost", () => {
  expect(excesses({ rollout: 0.75, frame: 8 }, budgets)).toEqual([
    "frame: 8, without a budget",
    "rollout: memory, MiB: not measured",
  ]);
});

it("keeps the smaller of two measurements", () => {
  expect(least({ rollout: 0.9, frame: 8 }, { rollout: 0.8, frame: 9 })).toEqual({
    rollout: 0.8,
    frame: 8,
  });
});

it("ignores the rounds that other programs disturb", () => {
  const quiet: readonly Pair[] = Array.from({ length: 20 }, () => [10, 5]);
  const disturbed: readonly Pair[] = Array.from({ length: 80 }, (_, round) => [
    15 + (round % 7) * 5,
    8 + (round % 5) * 4,
  ]);
  expect(ratio([...disturbed, ...quiet])).toBe(2);
});

it("does not change on a machine that is slower", () => {
  const pairs: readonly Pair[] = Array.from({ length: 20 }, (_, round) => [20 + round, 10 + round]);
  const slower = pairs.map(([work, reference]) => [work * 2, reference * 2] as const);
  expect(ratio(slower)).toBe(ratio(pairs));
});

it("measures work and reference in alternation, after the warm-up", async () => {
  const events: string[] = [];
  let cpuMs = 0;
  const work = async () => {
    events.push("work");
    return (cpuMs += 30);
  };
  const reference = async () => {
    events.push("reference");
    return 15;
  };
  // The first two rounds warm up: the least of the other two is the third.
  expect(await alternate({ rounds: 2, warmUps: 2 }, work, reference)).toBe(6);
  expect(events.join(" ")).toBe("work reference work reference work reference work reference");
});

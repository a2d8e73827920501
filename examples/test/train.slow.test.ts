import { format } from "node:util";

import { expect, test, vi } from "vitest";

test("train.ts learns the format from a random teacher and the answer from rewards", async () => {
  const lines: string[] = [];
  vi.spyOn(console, "log").mockImplementation((...values: unknown[]) => {
    lines.push(format(...values));
  });
  await import("../train.ts");
  const stages = lines.map((line) => /^(.*): (\d+) % right$/u.exec(line)!.slice(1));
  expect(stages.map(([stage]) => stage)).toEqual(["before", "after sft", "after rl"]);
  const [before = 100, sft = 0, rl = 0] = stages.map(([, right]) => Number(right));
  // The teacher is right half of the time; the last digits depend on the processor.
  expect(before).toBeLessThan(5);
  expect(sft).toBeGreaterThan(25);
  expect(sft).toBeLessThan(60);
  expect(rl).toBeGreaterThan(80);
});

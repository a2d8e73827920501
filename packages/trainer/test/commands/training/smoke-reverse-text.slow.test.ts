import reverseText from "@envs/reverse-text";
import { smoke } from "@envs/trainer";
import { expect, test } from "vitest";

test("a tiny model learns to reverse short texts by reinforcement", async () => {
  const { verdict, evidence } = await smoke(reverseText({ minLength: 3, maxLength: 4 }), {
    threads: 1,
    budget: { warmUpTokens: 200_000, learningTokens: 100_000 },
  });
  expect(verdict.answer).toBe("learnable");
  const { before, after, difference } = evidence.learning!;
  expect(difference.low).toBeGreaterThan(0);
  expect(after).toBeGreaterThan(before);
  expect(before).toBeLessThan(1);
});

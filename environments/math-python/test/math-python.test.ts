import { random } from "@envs/core";
import { describe, expect, test } from "vitest";

import { finalAnswer, isRight } from "../src/answer.ts";
import { rowSchema } from "../src/problem.ts";
import { problems } from "../src/problems.ts";

const never = new AbortController().signal;

describe("an answer", () => {
  test.each([
    ["the number", "\\boxed{42}", 1],
    ["the number with zeros before it", "\\boxed{042}", 1],
    ["an equal form", "\\boxed{42.0}", 1],
    ["the last of several boxes", "\\boxed{41} \\boxed{42}", 1],
    ["another number", "\\boxed{43}", 0],
    ["the right box before a wrong one", "\\boxed{42} \\boxed{43}", 0],
    ["a box in the thinking", "<think>\\boxed{42}</think> Done.", 0],
    ["thinking that has not ended", "<think>\\boxed{42}", 0],
    ["no box", "42", 0],
    ["an empty box", "\\boxed{}", 0],
  ])("that is %s gets the right reward", async (_, reply, right) => {
    expect(Number(await isRight(reply, "42", never))).toBe(right);
  });

  test("is read after the thinking", () => {
    expect(finalAnswer("<think>\\boxed{1}</think> \\boxed{2}")).toBe("2");
  });
});

describe("the problems", () => {
  test("are distinct, and the same for a seed", () => {
    const take = (count: number) => problems(random("problems")).take(count).toArray();
    const rows = take(300);
    expect(new Set(rows.map(({ prompt }) => prompt)).size).toBe(300);
    expect(take(3)).toEqual(rows.slice(0, 3));
  });

  test("rarely have equal answers", () => {
    const rows = problems(random("answers")).take(300).toArray();
    for (const same of Map.groupBy(rows, ({ answer }) => answer).values())
      expect(same.length).toBeLessThan(20);
  });

  test("reject a row without an answer", () => {
    expect(rowSchema.safeParse({ problem: "1 + 1?", answer: "" }).success).toBe(false);
  });
});

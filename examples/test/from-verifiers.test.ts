import { evaluate, policy } from "@envs/core";
import { checkEnvironment } from "@envs/core/testing";
import { expect, test } from "vitest";

import fromVerifiers from "../from-verifiers.ts";

test("passes the conformance suite", async () => {
  await expect(checkEnvironment(fromVerifiers)).resolves.toBeUndefined();
});

test("scores the format like verifiers: 1 for tags that begin and end the reply", async () => {
  const { scores } = await evaluate(fromVerifiers(), { model: policy("gold") });
  expect(scores.format.mean).toBeCloseTo(1, 12);
  expect(scores.exact.count).toBe(9);
});

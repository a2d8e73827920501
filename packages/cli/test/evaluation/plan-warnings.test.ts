import { defineEnvironment } from "@envs/core";
import { expect, test } from "vitest";

import { planFromArguments } from "../../src/evaluation/evaluation-plan.ts";
import { planWarnings, rejectUnusedOptions } from "../../src/evaluation/plan-warnings.ts";

const guess = defineEnvironment({
  name: "guess",
  dataset: () => [{ prompt: "Guess." }],
  rubric: { right: () => 1 },
});

function planOf(options: Readonly<Record<string, string>>) {
  return planFromArguments({ environment: "guess", model: "policy:right", ...options }, {});
}

function warningsOf(options: Readonly<Record<string, string>>, packageName = "@you/guess") {
  return planWarnings(guess(), { packageName }, planOf(options));
}

test("names the options of a judge and of a sub-model that the environment does not ask", () => {
  expect(warningsOf({})).toEqual([]);
  expect(warningsOf({ judge: "gpt-5-mini", "judge-timeout": "3", "sub-model": "gpt-5" })).toEqual([
    "No score of guess asks a judge, so --judge, --judge-timeout has no effect.",
    "guess does not ask a sub-model, so --sub-model has no effect.",
  ]);
});

test("names what envs check rejects about the package", () => {
  expect(warningsOf({}, "@you/guesses")).toEqual([
    "The environment is named guess, its package @you/guesses. envs check rejects this: rename it.",
  ]);
});

test.for([
  [{ "base-url": "http://127.0.0.1:1/v1" }, "--base-url is for models of a server"],
  [{ "api-key-var": "KEY", model: "X=policy:a,O=policy:b" }, "--api-key-var is for models"],
  [{ "sub-model-base-url": "http://127.0.0.1:1/v1" }, "Add --sub-model."],
] as const)("rejects %j", ([options, message]) => {
  expect(() => rejectUnusedOptions(planOf(options))).toThrow(message);
});

test("accepts the server of one seat's model", () => {
  const options = { model: "X=gpt-5,O=policy:b", "base-url": "http://127.0.0.1:1/v1" };
  expect(() => rejectUnusedOptions(planOf(options))).not.toThrow();
});

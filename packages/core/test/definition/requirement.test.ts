import { expect, test } from "vitest";

import {
  ConfigError,
  defineEnvironment,
  evaluate,
  type Model,
  type Requirement,
} from "../../src/index.ts";

const missing: Requirement = {
  kind: "sandbox",
  name: "python",
  check: () => Promise.reject(new ConfigError("bubblewrap is not installed.")),
};

function environmentWith(requires: readonly Requirement[]) {
  return defineEnvironment({
    name: "needs-python",
    requires,
    dataset: () => [{ prompt: "1 + 1" }],
    rubric: { right: ({ reply }) => reply === "2" },
  });
}

let calls = 0;
const model: Model = async () => {
  calls += 1;
  return { message: { role: "assistant", content: "2" }, finish: "stop" };
};

test("it stops before the first model call if the machine lacks a requirement", async () => {
  calls = 0;
  await expect(evaluate(environmentWith([missing])(), { model })).rejects.toThrow(
    "needs-python needs the sandbox python, which does not work here: bubblewrap is not installed.",
  );
  expect(calls).toBe(0);
});

test("it plays if all requirements are met", async () => {
  const met: Requirement = { ...missing, check: () => Promise.resolve() };
  const { rollouts } = await evaluate(environmentWith([met])(), { model, examples: 1 });
  expect(rollouts[0]).toMatchObject({ status: "scored", reward: 1 });
});

test("it takes requirements from a function of the config", async () => {
  const factory = defineEnvironment({
    name: "needs-python",
    requires: () => [missing],
    dataset: () => [{ prompt: "1 + 1" }],
    rubric: { right: ({ reply }) => reply === "2" },
  });
  await expect(evaluate(factory(), { model })).rejects.toThrow(ConfigError);
});

test("it rejects a definition that requires something that is not a provider", () => {
  expect(() => environmentWith(["python"] as never)).toThrow(
    "something that is not a list of providers",
  );
  expect(() => environmentWith(missing as never)).toThrow("Write requires: [python()]");
});

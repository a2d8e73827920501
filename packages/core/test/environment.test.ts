import { expect, test } from "vitest";

import { defineEnvironment } from "../src/index.ts";

const base = {
  name: "colors",
  dataset: () => [{ prompt: "Hi." }],
  rubric: { one: () => 1 },
};

test.for(["end", "turns", "tokens", "context"])("rejects a stop condition named %s", (name) => {
  const define = () => defineEnvironment({ ...base, stop: { [name]: () => true } });
  expect(define).toThrow(
    `colors has a stop condition named ${name}, which is a stop reason of the engine. Choose another name.`,
  );
});

test("rejects a metric with the name of a score", () => {
  const define = () => defineEnvironment({ ...base, metrics: { one: () => 2 } });
  expect(define).toThrow("colors has a score and a metric named one. Rename one of them.");
});

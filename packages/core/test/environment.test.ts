import { expect, test } from "vitest";

import { defineEnvironment } from "../src/index.ts";

test.for(["end", "turns", "tokens", "context"])("a stop condition cannot be named %s", (name) => {
  const define = () =>
    defineEnvironment({
      name: "taken",
      dataset: () => [{ prompt: "Hi." }],
      stop: { [name]: () => true },
      rubric: { one: () => 1 },
    });
  expect(define).toThrow(`taken cannot name a stop condition ${name}`);
});

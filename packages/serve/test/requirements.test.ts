import { defineEnvironment } from "@envs/core";
import { isConfigError } from "@envs/core/engine";
import { expect, test } from "vitest";

import { serve, serveMcp } from "../src/index.ts";

/** Requires a sandbox that works on no machine. */
const needy = defineEnvironment({
  name: "needy",
  dataset: () => [{ prompt: "Run it." }],
  requires: [
    {
      kind: "sandbox",
      name: "python",
      check: () => Promise.reject(new Error("Install bubblewrap.")),
    },
  ],
  rubric: { one: () => 1 },
});

test.for([
  ["serve", () => serve([needy()], { port: 0 })],
  ["serveMcp", () => serveMcp(needy(), { transport: { port: 0 }, log: () => undefined })],
] as const)(
  "%s does not start without the sandbox that an environment requires",
  async ([, start]) => {
    const error: unknown = await start().catch((thrown: unknown) => thrown);
    expect(error).toSatisfy(isConfigError);
    expect(error).toMatchObject({
      message: "needy needs the sandbox python, which does not work here: Install bubblewrap.",
    });
  },
);

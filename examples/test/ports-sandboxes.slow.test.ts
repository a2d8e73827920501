// Ports whose sandboxes need npm packages only.
import { assistantMessage, evaluate } from "@envs/core";
import { expect, test } from "vitest";

import { documentedRewards, javascriptThefts } from "../../packages/sandbox/test/support/thefts.ts";
import colf from "../ports/colf.ts";
import { testPorts } from "./support/test-ports.ts";

testPorts([
  {
    factory: colf,
    // Prompt and code of the two samples have 64 and 70 tokens, and the wordy prompt has 250 more.
    means: {
      gold: (1 / 1.064 + 1 / 1.07) / 2,
      wordy: (1 / 1.314 + 1 / 1.32) / 2,
      "always-equal": 0,
      pleading: 0,
    },
    fullReward: 0.9,
  },
]);

test("colf stops an endless loop", async () => {
  const message = assistantMessage("Write:solve=()=>{for(;;);}");
  const { reward, counts } = await evaluate(colf(), {
    model: async () => ({ message, finish: "stop" }),
    examples: 1,
    rolloutsPerExample: 1,
  });
  expect({ reward: reward.mean, counts }).toMatchObject({ reward: 0, counts: { scored: 1 } });
});

/** Thefts that end at a limit of the sandbox: the test above has such a loop, and those of code-repair play all. */
const endless = new Set([
  "never returns",
  "never ends its definition",
  "returns a giant value",
  "prints without an end",
  "fills the memory",
]);

test.for(Object.entries(javascriptThefts).filter(([theft]) => !endless.has(theft)))(
  "colf gives what the table of thefts lists to code that %s",
  async ([theft, write]) => {
    const message = assistantMessage(`Write:${write("solve", "1")}`);
    const { reward } = await evaluate(colf(), {
      model: async () => ({ message, finish: "stop" }),
      examples: 1,
      rolloutsPerExample: 1,
    });
    expect(reward.mean).toBe(documentedRewards("colf")[theft]);
  },
);

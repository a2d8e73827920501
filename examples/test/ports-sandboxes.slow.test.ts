// Ports whose sandboxes need npm packages only.
import colf from "../ports/colf.ts";
import nextjsCodebaseSearch from "../ports/nextjs-codebase-search.ts";
import skyrlSql from "../ports/skyrl-sql.ts";
import { testPolicies, testPorts } from "./support/test-ports.ts";

testPorts(
  [
    {
      factory: colf,
      // Prompt and code of the two samples have 64 and 70 tokens, and the wordy prompt has 250 more.
      means: {
        gold: (1 / 1.064 + 1 / 1.07) / 2,
        wordy: (1 / 1.314 + 1 / 1.32) / 2,
        "always-equal": 0,
        endless: 0,
        pleading: 0,
      },
      fullReward: 0.9,
    },
    {
      factory: nextjsCodebaseSearch,
      means: { gold: 1, "all-files": 0, guessing: 0, silent: 0 },
    },
  ],
  // The suite plays hundreds of rollouts, each with its sandbox.
  { timeout: 240_000 },
);

testPolicies([
  {
    factory: skyrlSql,
    means: {
      gold: 1,
      "two-solutions": -1,
      "in-thoughts": -1,
      thoughtless: -1,
      empties: 0,
      invalid: 0,
    },
  },
]);

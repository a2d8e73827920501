// A port that runs Python, which needs bubblewrap.
import { assistantMessage, evaluate, textOf } from "@envs/core";
import { expect, test } from "vitest";

import { documentedRewards, someThefts } from "../../packages/sandbox/test/support/thefts.ts";
import humaneval from "../ports/humaneval.ts";
import { testPolicies, useSamples } from "./support/test-ports.ts";

useSamples();

testPolicies([
  {
    factory: humaneval,
    means: {
      gold: 1,
      "from-scratch": 1,
      "in-thoughts": 0,
      nothing: 0,
      exit: 0,
      "always-equal": 0,
      "redefines-helpers": 0,
      endless: 0,
    },
    config: { seconds: 3 },
    zeroRewardExamples: 1,
  },
]);

test.for(someThefts)(
  "humaneval gives what the table of thefts lists to code that %s",
  async ([theft, code]) => {
    const { reward } = await evaluate(humaneval({ seconds: 2 }), {
      model: async ({ messages }) => {
        const [, name] = /def (\w+)\(/.exec(textOf(messages.at(-1)!.content))!;
        const call = `def ${name}(*values): return f(values[0])`;
        return {
          message: assistantMessage(`\`\`\`python\n${code}\n${call}\n\`\`\``),
          finish: "stop",
        };
      },
      examples: 1,
      rolloutsPerExample: 1,
    });
    expect(reward.mean).toBe(documentedRewards("humaneval")[theft]);
  },
);

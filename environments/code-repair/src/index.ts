import { assistantMessage, defineEnvironment, type ScoreContext } from "@envs/core";
import * as z from "zod";

import { provider } from "./calls.ts";
import { grade, readCode, writeCode } from "./grade.ts";
import { callRun, hardcode } from "./policies.ts";
import { type Task, tasks } from "./tasks.ts";
import { moduleFile, moduleText, type Workbench, workbench } from "./workbench.ts";

/** The verdict on the last reply, for all scores. */
function verdict({ example, state, reply, memo, signal }: ScoreContext<unknown, Task, Workbench>) {
  return memo("verdict", () => grade(example, state.saved ?? readCode(reply), signal));
}

export default defineEnvironment({
  name: "code-repair",
  description:
    "Repair JavaScript functions. Hidden tests run in a sandbox that the model never touched.",
  tags: ["code", "javascript", "tools", "sandbox", "multi-turn"],
  requires: [provider],

  config: z.object({
    examples: z.int().min(1).max(500).default(200).describe("Number of programs in each split"),
    maxTurns: z.int().min(1).default(8).describe("Maximum number of model turns per program"),
  }),

  systemPrompt: `You repair JavaScript functions. The tool run runs code in a sandbox, where require("./${moduleFile}") has the function with its bug.
End with the whole repaired function in a block, as in
${writeCode("function example() { … }")}
It is called with other arguments too, and must do what its comment says.`,

  dataset: ({ config: { examples }, random }) => ({
    train: tasks("train", { random, count: examples }),
    eval: tasks("eval", { random, count: examples }),
  }),

  setup: ({ example }) => workbench(example),

  tools: {
    run: {
      description: "Runs JavaScript. Returns what it prints, and the value of its last expression.",
      input: z.object({ code: z.string().max(20_000).describe("A script") }),
      execute: ({ code }, { state, signal }) => state.run(code, signal),
    },
  },

  workspace: {
    files: ({ example }) => ({ [moduleFile]: moduleText(example) }),
    save({ state, files }) {
      const saved = files[moduleFile];
      if (saved !== undefined) state.saved = saved ?? "";
    },
  },

  episode: { maxTurns: ({ config }) => config.maxTurns },

  rubric: {
    correct: {
      description: "1 if the repaired function passes the visible test and all hidden tests",
      range: [0, 1],
      async score(context) {
        const { visible, hidden } = await verdict(context);
        return visible && hidden === 1;
      },
    },
  },

  metrics: {
    visible: {
      description: "1 if it passes the test in the prompt",
      range: [0, 1],
      score: async (context) => (await verdict(context)).visible,
    },
    hidden: {
      description: "Share of the hidden tests that it passes",
      range: [0, 1],
      score: async (context) => (await verdict(context)).hidden,
    },
  },

  policies: {
    oracle: ({ example, turns }) =>
      turns === 0 ? callRun(turns, example) : assistantMessage(writeCode(example.solution)),
    unchanged: ({ example }) => assistantMessage(writeCode(example.source)),
    hardcode: ({ example }) => assistantMessage(writeCode(hardcode(example))),
  },
});

import { assistantMessage, defineEnvironment, type ScoreContext } from "@envs/core";
import * as z from "zod";

import { type Outcome, outcomeOf } from "./files.ts";
import { bestStep, scatter, wipe } from "./steps.ts";
import { createTask, type Task, taskKinds } from "./tasks.ts";
import { virtualRoot } from "./virtual-root.ts";
import { openWorkspace, type Workspace } from "./workspace.ts";

/** The folder at the end, compared with what the task asks for; `undefined` for a folder that cannot be read. */
function outcome({ example, state, memo }: ScoreContext<unknown, Task, Workspace>) {
  return memo("outcome", async (): Promise<Outcome | undefined> => {
    const actual = await state.read();
    return actual && outcomeOf(actual, example.files, example.changes);
  });
}

export default defineEnvironment({
  name: "files",
  description:
    "Find, rename, move, edit and add up files with the tools of a real MCP filesystem server.",
  tags: ["tools", "mcp", "files", "multi-turn"],

  config: z.object({
    examples: z.int().min(1).default(1000).describe("Number of tasks in each split"),
    task: z
      .enum(["all", ...taskKinds])
      .default("all")
      .describe("Kind of the tasks"),
    size: z.int().min(2).max(20).default(6).describe("Number of invoices in the folder"),
    maxTurns: z.int().min(1).default(12).describe("Maximum number of model turns per task"),
  }),

  systemPrompt: `You work in the folder ${virtualRoot} of a small company, which has the folders invoices, notes and drafts. Use the tools to read and change files.
Only the files count in the end. When they are right, reply without a tool call.`,

  dataset({ config, random }) {
    const kinds = config.task === "all" ? taskKinds : [config.task];
    const rows = function* (split: string) {
      for (let index = 0; index < config.examples; index += 1)
        yield createTask(index, { size: config.size, kinds }, random.for(split, index));
    };
    return { train: rows("train"), eval: rows("eval") };
  },

  setup: ({ example, signal }) => openWorkspace(example.files, signal),

  tools: ({ state }) => state.tools,

  episode: { maxTurns: ({ config }) => config.maxTurns },

  rubric: {
    correct: {
      description: "1 if the folder has exactly the files that the task asks for",
      range: [0, 1],
      async score(context) {
        const { progress = 0, damage = 0 } = (await outcome(context)) ?? {};
        return progress === 1 && damage === 0;
      },
    },
  },

  metrics: {
    progress: {
      description: "Share of the changes that the task asks for that were made",
      range: [0, 1],
      score: async (context) => (await outcome(context))?.progress ?? 0,
    },
    damage: {
      description: "Other files that were changed, removed or added",
      score: async (context) => (await outcome(context))?.damage ?? null,
    },
  },

  policies: {
    oracle: ({ example, turns }) => bestStep(example, turns),
    lazy: () => assistantMessage("Done."),
    wipe: ({ example, turns }) => wipe(example, turns),
    scatter: ({ example, turns }) => scatter(example, turns),
  },
});

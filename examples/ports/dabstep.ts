// dabstep, ported: questions about the files of a payment processor, which the model reads with Python.
import { join } from "node:path";

import { callTools, defineEnvironment, end } from "@envs/core";
import { huggingFace } from "@envs/data";
import { python } from "@envs/sandbox";
import * as z from "zod";

import { LazySandbox } from "./support/lazy-sandbox.ts";
import { readFolder } from "./support/read-folder.ts";

const sandboxes = python();

const row = z
  .object({
    task_id: z.coerce.string(),
    question: z.string(),
    guidelines: z.string(),
    answer: z.string(),
    level: z.enum(["easy", "hard"]),
  })
  .transform(({ task_id: id, question, guidelines, ...rest }) => ({
    id,
    prompt: `${question}\n\n${guidelines}`,
    ...rest,
  }));

export default defineEnvironment({
  name: "dabstep",
  description: "Answer questions about the files of a payment processor with Python.",
  tags: ["data-analysis", "python", "sandbox", "tools"],
  requires: [sandboxes],

  config: z.object({
    context: z
      .string()
      .optional()
      .describe("Folder with the files. Default: data/context in the copy of the dataset"),
    outputLimit: z.int().min(100).default(5000).describe("Maximum characters of one result"),
  }),

  systemPrompt: `You analyse data. The files are in the working folder; a manual explains them. Look at them with the tool run_python, whose variables last from call to call.
Call final_answer with the answer in the form that the task asks for, or with Not Applicable if the files cannot answer it.`,
  maxTurns: 20,

  dataset: () =>
    huggingFace("adyen/DABstep", { config: "tasks", schema: row, split: { eval: "dev" } }),

  setup: async ({ config, signal }) => ({
    sandbox: new LazySandbox(sandboxes, {
      files: await readFolder(config.context ?? copiedContext()),
      signal,
    }),
    answer: undefined as string | undefined,
  }),

  tools: {
    run_python: {
      description: "Run Python, and return what it prints.",
      input: z.object({ code: z.string() }),
      sequential: true,
      async execute({ code }, { state: { sandbox }, config, signal }) {
        const { stdout, stderr, exitCode } = await sandbox.run(code, { signal });
        const failed = exitCode === 0 ? "" : `Exit code ${exitCode}\n`;
        return `${failed}${stdout}${stderr}`.slice(0, config.outputLimit) || "(no output)";
      },
    },
    final_answer: {
      description: "Submit the answer. It cannot be changed.",
      input: z.object({ answer: z.string() }),
      execute({ answer }, { state }) {
        state.answer ??= answer;
        return end("Submitted.");
      },
    },
  },

  respond: () => "Call run_python to look further, or final_answer to submit.",

  rubric: {
    correct: ({ state, example }) =>
      state.answer !== undefined && isSame(state.answer, example.answer),
  },

  policies: {
    gold: ({ example: { answer }, turns }) =>
      turns === 0
        ? callTools([["run_python", { code: "import os; print(sorted(os.listdir('.')))" }]])
        : callTools([["final_answer", { answer }]], turns),
    "every-answer": () =>
      callTools([["final_answer", { answer: "yes, no, Not Applicable, 0, 1, 2" }]]),
    talking: ({ example: { answer } }) => answer,
    deleting: ({ turns }) =>
      turns === 0
        ? callTools([
            ["run_python", { code: "import os; [os.remove(f) for f in os.listdir('.')]" }],
          ])
        : callTools([["final_answer", { answer: "Not Applicable" }]], turns),
  },
});

/** Get a copy by `hf download adyen/DABstep --repo-type dataset --local-dir datasets/adyen/DABstep`. */
function copiedContext(): string {
  return join(process.env["ENVS_DATASETS"] ?? "datasets", "adyen/DABstep/data/context");
}

/** Whether two answers have the same entries in any order. Numbers may differ in the digits that the true answer lacks. */
function isSame(answer: string, truth: string): boolean {
  const [given, wanted] = [answer, truth].map((list) =>
    list
      .split(/[,;]/)
      .map((item) => item.trim().toLowerCase())
      .toSorted(),
  ) as [string[], string[]];
  return given.length === wanted.length && wanted.every((item, at) => isSameItem(given[at]!, item));
}

function isSameItem(given: string, wanted: string): boolean {
  const number = Number(wanted);
  if (wanted === "" || !Number.isFinite(number)) return given === wanted;
  const digits = /\.(?<digits>\d+)$/.exec(wanted)?.groups?.["digits"]?.length ?? 0;
  return given !== "" && Math.abs(Number(given) - number) <= 0.5 * 10 ** -digits;
}

// nextjs_codebase_search, ported: questions about a repository, which the model searches with a shell.
import { join } from "node:path";

import { callTools, defineEnvironment, end } from "@envs/core";
import { jsonl } from "@envs/data";
import { shell } from "@envs/sandbox/shell";
import { choices, judge } from "@envs/scores";
import * as z from "zod";

import { LazySandbox } from "./support/lazy-sandbox.ts";
import { readFolder } from "./support/read-folder.ts";

const sandboxes = shell();
const sample = join(import.meta.dirname, "datasets/nextjs-codebase-search");

const phrases = z.array(z.string()).default([]);
const row = z
  .object({
    question: z.string(),
    expected_evidence: z.object({
      required_paths: phrases,
      required_symbols: phrases,
      required_behaviors: phrases,
    }),
  })
  .transform(({ question, expected_evidence: evidence }) => ({
    prompt: question,
    paths: evidence.required_paths,
    symbols: evidence.required_symbols,
    behaviors: evidence.required_behaviors,
  }));

const verdict = judge<unknown, unknown, { readonly answer: string }>({
  prompt: `Does the answer lead a newcomer to the right place in a repository? It must name the files and the functions that the evidence names, or others that do the same, and say what they do.

{example.prompt}
{example.paths}
{example.symbols}
{example.behaviors}
{state.answer}`,
  verdict: choices({ incorrect: 0, partly: 0.7, correct: 1 }),
  model: "gemini-2.5-flash-lite",
});

export default defineEnvironment({
  name: "nextjs-codebase-search",
  description: "Find out how a repository works by searching it with a shell.",
  tags: ["code", "shell", "sandbox", "tools", "judge"],
  requires: [sandboxes],

  config: z.object({
    questions: z
      .string()
      .default(join(sample, "questions.jsonl"))
      .describe("A JSONL file with questions and the evidence that answers need"),
    repository: z
      .string()
      .default(join(sample, "repository"))
      .describe("The folder that is searched, such as a clone of Next.js"),
    maxAnswer: z.int().min(100).default(2000).describe("Longest answer, in characters"),
  }),

  systemPrompt: `You are in the folder of a repository. Search it with the tool bash: grep first, then read a few lines.
Call final_answer once, with the files as path:line and the functions that answer the question.`,
  maxTurns: 20,

  dataset: ({ config }) => jsonl(config.questions, { schema: row }),

  setup: async ({ config, signal }) => ({
    sandbox: new LazySandbox(sandboxes, { files: await readFolder(config.repository), signal }),
    commands: 0,
    answer: "",
  }),

  tools: {
    bash: {
      description: "Run a command in the folder of the repository.",
      input: z.object({ command: z.string() }),
      sequential: true,
      async execute({ command }, { state, signal }) {
        state.commands += 1;
        const { stdout, stderr, exitCode } = await state.sandbox.run(command, { signal });
        const output = `${stdout}${stderr}${exitCode === 0 ? "" : `exit code ${exitCode}`}`;
        return output.length > 5000 ? `${output.slice(0, 5000)}\n(cut)` : output;
      },
    },
    final_answer: {
      description: "Submit the answer. It cannot be changed.",
      input: z.object({ answer: z.string() }),
      execute({ answer }, { state, config }) {
        if (answer.length > config.maxAnswer)
          return `Write at most ${config.maxAnswer} characters.`;
        state.answer = answer;
        return end("Submitted.");
      },
    },
  },

  respond: () => "Call bash to search further, or final_answer to submit.",

  rubric: {
    judged: {
      ...verdict,
      weight: 0.7,
      score: (context) => (context.state.answer === "" ? 0 : verdict.score(context)),
    },
    evidence: {
      weight: 0.3,
      description: "Share of the expected paths, symbols and behaviours that the answer names",
      range: [0, 1],
      score: ({ state: { answer }, example: { paths, symbols, behaviors } }) =>
        0.2 * share(paths, answer) + 0.4 * share(symbols, answer) + 0.4 * share(behaviors, answer),
    },
  },

  metrics: { commands: ({ state }) => state.commands },

  policies: {
    gold: ({ example: { paths, symbols, behaviors }, turns }) =>
      turns === 0
        ? callTools([["bash", { command: `grep -n ${symbols[0]} ${paths[0]}` }]])
        : callTools(
            [["final_answer", { answer: [...paths, ...symbols, ...behaviors].join("; ") }]],
            turns,
          ),
    "all-files": () => callTools([["bash", { command: "cat $(find . -type f)" }]]),
    guessing: () => callTools([["final_answer", { answer: "It is in src/index.ts." }]]),
    silent: () => "",
  },
});

function share(expected: readonly string[], answer: string): number {
  const text = answer.toLowerCase();
  const named = expected.filter((phrase) => text.includes(phrase.toLowerCase()));
  return named.length / Math.max(expected.length, 1);
}

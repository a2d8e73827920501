import { appendFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

import { assistantMessage, defineEnvironment, type Model, textOf } from "@envs/core";
import { agentProgram } from "@envs/gateway";
import { describeEnvironment } from "@envs/vitest";

const task = defineEnvironment({
  name: "task",
  dataset: () => [{ prompt: "Write done into answer.txt." }],
  rubric: { done: ({ reply }) => reply === "done" },
});

/** Replies with the absolute path of the file, and writes down its calls. */
const model: Model = async ({ messages }) => {
  appendFileSync(process.env["CALLS"]!, "call\n");
  const folder = /You work in (\S+)\. /u.exec(textOf(messages[0]!.content))?.[1] ?? "";
  return { message: assistantMessage(`${folder}/answer.txt`), finish: "stop" };
};

const program = join(import.meta.dirname, "program.mjs");
describeEnvironment(task(), {
  name: "replay",
  model: agentProgram({
    command: process.execPath,
    args: [program],
    input: ({ prompt }) => prompt,
    model,
  }),
  trials: 2,
});

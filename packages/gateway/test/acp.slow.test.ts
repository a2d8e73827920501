import { fileURLToPath } from "node:url";

import { assistantMessage, defineEnvironment, rollout, textOf } from "@envs/core";
import { scriptedModel } from "@envs/core/testing";
import { agentPreset, agentProgram } from "@envs/gateway";
import { expect, test } from "vitest";
import * as z from "zod";

const script = fileURLToPath(new URL("support/acp-agent.mjs", import.meta.url));
const words = defineEnvironment({
  name: "words",
  dataset: () => [{ prompt: "Write the word." }],
  tools: { word: { description: "Reads it.", input: z.object({}), execute: () => "sesame" } },
  rubric: { correct: ({ completion }) => textOf(completion.at(-1)!.content).includes("sesame") },
});

const play = (mode: string, rolloutTimeout?: number) =>
  rollout(
    words(),
    { prompt: "Write the word." },
    {
      model: agentProgram({
        command: process.execPath,
        args: [script, mode],
        acp: true,
        model: scriptedModel(assistantMessage("Well done.")),
      }),
      rolloutTimeout,
    },
  );

test("an agent over ACP plays, and the record has its plan, permissions, edits and commands", async () => {
  const result = await play("plays");
  expect(result).toMatchObject({ status: "scored", reward: 1 });
  expect(textOf(result.completion.at(-1)!.content)).toBe("yes sesame 4 Well done.");
  expect(result.trajectory[0]!.calls).toHaveLength(1);
  expect(result.trajectory[0]!.activity).toEqual([
    { kind: "plan", text: "[pending] Write the file" },
    { kind: "permission", text: "Edit word.txt\nAllow (of Reject, Allow)" },
    {
      kind: "edit",
      text: expect.stringMatching(/^--- \/dev\/null\n.*word\.txt.*\+one\n\+sesame\n$/su),
    },
    {
      kind: "command",
      text: "$ sh -c cat deep/word.txt; exit 4\none\nsesame\n\n[exit code 4]",
    },
    { kind: "edit", text: "Edit word.txt: completed" },
  ]);
});

test.each([
  ["dies", /exited with code 3/],
  ["is silent", /did not answer by ACP/],
  ["floods", /wrote a message of more than/],
  ["without MCP", /does not support MCP servers over HTTP/],
])("an agent over ACP that %s fails the rollout with the reason", async (mode, message) => {
  expect(await play(mode)).toMatchObject({
    status: "failed",
    error: { code: "agent", message: expect.stringMatching(message) },
  });
});

test("an agent over ACP is killed when its rollout ends", async () => {
  expect(await play("sleeps", 1_500)).toMatchObject({
    status: "failed",
    error: { code: "timeout" },
  });
});

test("a program that does not speak ACP is rejected", () => {
  expect(() => agentPreset("codex", { acp: true })).toThrow(
    "codex does not speak ACP. Choose one of gemini-cli,",
  );
});

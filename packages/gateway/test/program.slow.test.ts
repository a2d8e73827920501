import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

import {
  assistantMessage,
  callTools,
  defineEnvironment,
  type Model,
  rollout,
  textOf,
} from "@envs/core";
import { scriptedModel } from "@envs/core/testing";
import { agentProgram, type AgentProgram } from "@envs/gateway";
import { expect, test, vi } from "vitest";
import * as z from "zod";

const script = fileURLToPath(new URL("support/agent-program.mjs", import.meta.url));

const secrets = defineEnvironment({
  name: "secrets",
  systemPrompt: "Be brief.",
  dataset: () => [{ prompt: "What is the word?" }],
  tools: {
    word: { description: "Reads the word.", input: z.object({}), execute: () => "sesame" },
  },
  rubric: { correct: ({ completion }) => completion.at(-1)?.content === "sesame" },
});

const upstream = scriptedModel(callTools([["word", {}]]), assistantMessage("sesame"));

function play(mode: string, program: Partial<AgentProgram> = {}, signal?: AbortSignal) {
  const model = agentProgram({
    command: process.execPath,
    args: ({ prompt, mcpURL }) => [script, mode, mcpURL, prompt],
    model: upstream,
    ...program,
  });
  return rollout(secrets(), { prompt: "What is the word?" }, { model, signal });
}

test("a program plays with the variables of its provider, and the environment's tools over MCP", async () => {
  const result = await play("solve");
  expect(result).toMatchObject({ status: "scored", reward: 1, tools: { word: { calls: 1 } } });
  expect(result.trajectory[0]?.calls?.[0]).toMatchObject({
    dialect: "messages",
    messages: [{ role: "user", content: "Be brief.\n\nWhat is the word?" }],
    tools: [{ name: "word" }],
  });
});

test("a program reads its prompt from the standard input, and files from its folder", async () => {
  const workspaces: string[] = [];
  const result = await play("solve", {
    args: undefined,
    command: "/bin/sh",
    files: ({ workspace }) => {
      workspaces.push(workspace);
      return { "deep/run.sh": "exit 9" };
    },
    reply: async ({ stdout, workspace }) => `${stdout}${existsSync(`${workspace}/deep/run.sh`)}`,
  });
  // A shell that reads the prompt as a script.
  expect(result).toMatchObject({ status: "failed", error: { code: "agent" } });
  await vi.waitFor(() => expect(existsSync(workspaces[0]!)).toBe(false), 120_000);
});

test.each([
  ["exits with an error", "fail", "exited with code 3. Its last errors: I give up."],
  ["is killed", "die", "was killed by SIGKILL"],
])("a program that %s fails the rollout with the reason", async (_, mode, message) => {
  const result = await play(mode);
  expect(result).toMatchObject({
    status: "failed",
    error: { code: "agent", message: expect.stringContaining(message) },
  });
});

test("a program that is killed after two calls leaves them in the record", async () => {
  const result = await play("asked-then-die");
  expect(result).toMatchObject({
    status: "failed",
    error: { code: "agent", message: expect.stringContaining("was killed by SIGKILL") },
    unfinishedCalls: [
      { dialect: "messages", messages: [{ content: "one" }] },
      { dialect: "messages", messages: [{ content: "two" }] },
    ],
  });
});

test("a program that cannot start ends the run", async () => {
  const result = await play("solve", { command: "no-such-program" });
  expect(result).toMatchObject({
    status: "failed",
    error: {
      code: "agent",
      isFatal: true,
      message: expect.stringContaining("no-such-program could not start"),
    },
  });
});

test("a program is killed with what it has started when the rollout ends", async () => {
  const pids: number[] = [];
  const cancelled = new AbortController();
  const model: Model = async ({ messages }) => {
    pids.push(...(JSON.parse(textOf(messages.at(-1)!.content)) as number[]));
    setTimeout(() => cancelled.abort(), 10);
    return { message: assistantMessage("ok"), finish: "stop" };
  };
  const result = await play("hang", { model }, cancelled.signal);
  expect(result).toMatchObject({ status: "failed", error: { code: "cancelled" } });
  expect(pids).toHaveLength(2);
  for (const pid of pids)
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"), 10_000);
});

import {
  assistantMessage,
  type AssistantMessage,
  defineEnvironment,
  end,
  evaluate,
  policy,
  rollout,
} from "@envs/core";
import { checkEnvironment, scriptedModel } from "@envs/core/testing";
import { agent, agentProgram } from "@envs/gateway";
import { describe, expect, test } from "vitest";
import * as z from "zod";

/** Scores the files that a program leaves, in two observations. */
const notes = defineEnvironment({
  name: "notes",
  config: z.object({ limit: z.int().default(100) }),
  dataset: () => [{ prompt: "Translate hello.txt to French." }],
  setup: () => ({
    files: { "hello.txt": "hello\n", "deep/keep.txt": "keep" } as Record<string, string>,
  }),
  workspace: {
    files: ({ state }) => state.files,
    save({ state, files, config }) {
      for (const [path, text] of Object.entries(files)) {
        if (text !== null && text.length > config.limit) throw new Error(`${path} is too long.`);
        if (text === null) delete state.files[path];
        else state.files[path] = text;
      }
    },
  },
  respond({ state, turns, reply }) {
    if (reply === "done" || turns > 4) return end();
    state.files["task.txt"] = "Now to Italian.";
    return "There is another task in task.txt.";
  },
  rubric: { french: ({ state }) => state.files["hello.txt"] === "bonjour\n" },
  metrics: { files: ({ state }) => Object.keys(state.files).length },
  policies: {
    best: ({ turns, state }) =>
      state.files["hello.txt"] === "hello\n"
        ? {
            role: "assistant",
            content: "",
            tool_calls: [
              {
                id: `call_${turns}`,
                type: "function",
                function: {
                  name: "workspace",
                  arguments: JSON.stringify({ files: { "hello.txt": "bonjour\n" } }),
                },
              },
            ],
          }
        : assistantMessage("done"),
    idle: () => assistantMessage("done"),
  },
});

const model = scriptedModel("unused");

function play(script: string) {
  const program = agentProgram({ command: "/bin/sh", args: ["-c", script], model });
  return rollout(notes(), { prompt: "Translate hello.txt to French." }, { model: program });
}

test("an environment with a workspace conforms", async () => {
  await checkEnvironment(notes);
});

test("policies and models play without a folder", async () => {
  const best = await evaluate(notes(), { model: policy("best"), rolloutsPerExample: 1 });
  expect(best.reward.mean).toBe(1);
  const plain = await evaluate(notes(), { model: scriptedModel("done"), rolloutsPerExample: 1 });
  expect(plain.reward.mean).toBe(0);
  expect(plain.rollouts[0]!.trajectory).toHaveLength(1);
});

describe("a program", () => {
  test("finds the files of the environment, and is scored by what it leaves", async () => {
    const result = await play(
      `cat hello.txt deep/keep.txt; echo bonjour > hello.txt; rm -r deep; mkdir new; printf a > new/b.txt; mkdir .git; printf x > .git/HEAD`,
    );
    expect(result).toMatchObject({ status: "scored", reward: 1, scores: { files: 3 } });
    const [save, saved, reply] = result.completion;
    expect(save).toMatchObject({
      tool_calls: [{ function: { name: "workspace" } }],
    });
    const { tool_calls: [call] = [] } = save as AssistantMessage;
    expect(JSON.parse(call!.function.arguments)).toEqual({
      files: { "hello.txt": "bonjour\n", "deep/keep.txt": null, "new/b.txt": "a" },
    });
    expect(saved).toMatchObject({ content: "Saved: deep/keep.txt, hello.txt, new/b.txt" });
    expect(reply).toMatchObject({ content: "hello\nkeep" });
  });

  test("keeps its folder between observations, with what the environment adds", async () => {
    const result = await play(
      `if [ -e task.txt ]; then cat task.txt own.txt > answer.txt; printf done; else printf mine > own.txt; printf wait; fi`,
    );
    expect(result).toMatchObject({ status: "scored", scores: { files: 5 } });
    expect(JSON.stringify(result.completion)).toContain("Now to Italian.mine");
  });

  test("that changes no file only replies", async () => {
    const result = await play("printf done");
    expect(result).toMatchObject({ status: "scored", reward: 0 });
    expect(result.completion).toHaveLength(1);
  });

  test("whose changes the environment rejects has saved nothing", async () => {
    const result = await play("head -c 200 /dev/zero | tr '\\0' a > hello.txt; printf done");
    expect(result).toMatchObject({ status: "scored", reward: 0, scores: { files: 2 } });
    expect(result.toolErrors?.[0]).toContain("hello.txt is too long.");
  });

  test.each([
    [
      "leaves a link",
      "ln -s /etc/passwd hello.link",
      "hello.link is not a file. Links are not followed.",
    ],
    ["replaces a folder by a link", "rm -r deep; ln -s / deep", "deep is not a file."],
    ["leaves a pipe", "mkfifo pipe", "pipe is not a file."],
    ["leaves a huge file", "head -c 9000000 /dev/zero > big", "at big with 9000000 bytes."],
    ["leaves bytes", "printf '\\377\\376' > bytes", "bytes is not text in UTF-8."],
    ["removes its folder", 'rm -r "$PWD"', "the program has removed it."],
  ])("that %s fails with a reason", async (_, script, message) => {
    const result = await play(`${script}; printf done`);
    expect(result).toMatchObject({
      status: "failed",
      error: { code: "agent", message: expect.stringContaining(message) },
    });
    expect((result as { error: { message: string } }).error.message).toContain(
      "The workspace cannot be scored",
    );
  });
});

test("code in this process reads and saves the files itself", async () => {
  const own = agent(
    async ({ files }) => {
      const { "hello.txt": text } = await files!.read();
      await files!.save({ "hello.txt": text!.replace("hello", "bonjour") });
      return "done";
    },
    { model },
  );
  const example = { prompt: "Translate hello.txt to French." };
  expect(await rollout(notes(), example, { model: own })).toMatchObject({ reward: 1 });
});

test("an environment that offers a path outside of the folder fails the rollout", async () => {
  const outside = defineEnvironment({
    name: "outside",
    dataset: () => [{ prompt: "?" }],
    workspace: { files: () => ({ "../escape.txt": "x" }), save: () => {} },
    rubric: { any: () => 1 },
  });
  const program = agentProgram({ command: "/bin/true", args: [], model });
  expect(await rollout(outside(), { prompt: "?" }, { model: program })).toMatchObject({
    status: "failed",
    error: { message: expect.stringContaining('a file "../escape.txt"') },
  });
});

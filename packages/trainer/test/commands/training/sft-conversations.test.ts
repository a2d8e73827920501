import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { defineEnvironment } from "@envs/core";
import { trainingPlan } from "@envs/trainer";
import { expect, onTestFinished, test } from "vitest";

import { loadConversations } from "../../../src/commands/training/sft-conversations.ts";

/** Ten games of heads and tails: the policy says "heads" in nine of them. */
const coins = defineEnvironment({
  name: "coins",
  description: "Name the side that a coin shows.",
  dataset: () =>
    Array.from({ length: 10 }, (_, index) => ({
      prompt: "Heads or tails?",
      side: index === 0 ? "tails" : "heads",
    })),
  rubric: {
    right: ({ completion, example }) => (completion.at(-1)?.content === example.side ? 1 : 0),
  },
  policies: { seeing: ({ example }) => example.side },
});

async function load(includeDuplicates: boolean | undefined) {
  const notes: string[] = [];
  const plan = trainingPlan.parse({
    phases: {
      sft: { kind: "sft", data: { policy: "seeing", examples: 10, includeDuplicates } },
    },
  });
  const { sft } = plan.phases;
  if (sft?.kind !== "sft") throw new Error("The phase is not supervised.");
  const chats = await loadConversations(coins, {
    seed: 1,
    onDuplicates: (description) => void notes.push(description),
  })(sft);
  return { replies: chats.map((messages) => messages.at(-1)?.content).toSorted(), notes };
}

test("loadConversations() leaves out equal conversations of a policy, and reports how many", async () => {
  const { replies, notes } = await load(undefined);
  expect(replies).toEqual(["heads", "tails"]);
  expect(notes).toEqual([expect.stringContaining("left out 8 of 10 conversations")]);
});

test("loadConversations() keeps equal conversations with includeDuplicates", async () => {
  const { replies, notes } = await load(true);
  expect(replies.filter((reply) => reply === "heads")).toHaveLength(9);
  expect(notes).toEqual([]);
});

test("loadConversations() names the first failure if all rollouts failed", async () => {
  const broken = defineEnvironment({
    name: "broken",
    description: "Its policy throws.",
    dataset: () => [{ prompt: "Hi." }],
    rubric: { any: () => 1 },
    policies: {
      throwing: () => {
        throw new Error("out of coins");
      },
    },
  });
  const plan = trainingPlan.parse({
    phases: { sft: { kind: "sft", data: { policy: "throwing", examples: 1 } } },
  });
  const loading = loadConversations(broken, { seed: 1 })(plan.phases["sft"] as never);
  await expect(loading).rejects.toThrow(/rollouts of policy:throwing failed.*out of coins/u);
});

/** A phase that learns from a policy or a file. */
function phaseOf(data: object) {
  const { sft } = trainingPlan.parse({ phases: { sft: { kind: "sft", data } } }).phases;
  if (sft?.kind !== "sft") throw new Error("The phase is not supervised.");
  return sft;
}

async function fileOf(count: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "envs-chats-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const messages = [
    { role: "user", content: "Heads or tails?" },
    { role: "assistant", content: "heads" },
  ];
  const file = join(folder, "chats.jsonl");
  await writeFile(file, `${JSON.stringify({ messages })}\n`.repeat(count));
  return file;
}

test("loadConversations() reports how many conversations of a file it has read", async () => {
  const notes: string[] = [];
  const phase = phaseOf({ file: await fileOf(2500) });
  await loadConversations(coins, { seed: 1, onProgress: (text) => notes.push(text) })(phase);
  expect(notes).toEqual(["read 1000 conversations", "read 2000 conversations"]);
});

test("loadConversations() rejects with the reason of its signal", async () => {
  const endless = defineEnvironment({
    name: "endless",
    *dataset() {
      for (let index = 0; ; index += 1) yield { prompt: `${index}` };
    },
    rubric: { any: () => 1 },
    policies: { seeing: () => "heads" },
  });
  for (const phase of [
    phaseOf({ file: await fileOf(20_000) }),
    phaseOf({ policy: "seeing", examples: 1_000_000 }),
  ]) {
    const stop = new AbortController();
    const loading = loadConversations(endless, {
      seed: 1,
      signal: stop.signal,
      onProgress: () => stop.abort(new Error("stopped")),
    })(phase);
    await expect(loading).rejects.toThrow("stopped");
  }
});

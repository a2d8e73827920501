import { defineEnvironment, mix } from "@envs/core";
import { expect } from "vitest";

import { message, nemoClient, rowOf, rowWithOutput } from "./support/nemo-client.ts";
import { orsClient } from "./support/ors-client.ts";
import { test } from "./support/test-server.ts";

const sums = defineEnvironment({
  name: "sums",
  dataset: () => [{ prompt: "1 + 1?", answer: "2" }],
  rubric: { right: ({ reply, example }) => reply === example.answer },
});
const guesses = defineEnvironment({
  name: "guesses",
  dataset: () => [{ prompt: "Above 4 and below 6?", answer: "5" }],
  respond: () => [{ role: "user", content: "Again." }],
  episode: { maxTurns: 2 },
  rubric: { last: { weight: 0.5, score: ({ reply, example }) => reply === example.answer } },
});
const drills = mix({
  name: "drills",
  parts: { sums: { environment: sums }, guesses: { environment: guesses } },
});

/** The reply of each turn that earns the full reward of an example. */
function replies(prompt: string): readonly string[] {
  return prompt.includes("1 + 1") ? ["2"] : ["4", "5"];
}
const rewards = { "1 + 1?": 1, "Above 4 and below 6?": 0.5 };

test("plays each part of a mix over OpenEnv with its own turns and rewards", async ({
  startServer,
}) => {
  const server = await startServer([drills()]);
  const socket = await server.openSocket();
  const played: Record<string, unknown> = {};
  for (const index of [0, 1]) {
    const text = JSON.stringify(await socket.reset({ index }));
    const prompt = Object.keys(rewards).find((each) => text.includes(each))!;
    for (const reply of replies(prompt))
      played[prompt] = (await socket.step({ text: reply }))!.data.reward;
  }
  expect(played).toEqual(rewards);
});

test("plays each part of a mix over ORS with its own turns and rewards", async ({
  startServer,
}) => {
  const server = await startServer([drills()]);
  const played: Record<string, unknown> = {};
  for (const index of [0, 1]) {
    const client = orsClient(server, `session-${index}`);
    await client.post("/create", { split: "train", index });
    const { text } = await client.get("/drills/prompt");
    const prompt = Object.keys(rewards).find((each) => text.includes(each))!;
    for (const reply of replies(prompt)) {
      const { output } = await client.call("/drills/call", "respond", { text: reply });
      played[prompt] = output?.reward;
    }
  }
  expect(played).toEqual(rewards);
});

test("scores a reply to a part of a mix for NeMo Gym", async ({ startServer }) => {
  const server = await startServer([drills()]);
  const earned: unknown[] = [];
  for (const index of [0, 1]) {
    const client = nemoClient(server, "drills");
    await client.post("seed_session", rowOf(index));
    const { json } = await client.post("verify", rowWithOutput(rowOf(index), message("2")));
    earned.push(json["reward"]);
  }
  expect(earned.toSorted()).toEqual([0, 1]);
});

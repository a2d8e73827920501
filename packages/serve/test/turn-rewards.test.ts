import { defineEnvironment, end } from "@envs/core";
import { describe, expect } from "vitest";

import { message, nemoClient, rowOf, rowWithOutput } from "./support/nemo-client.ts";
import { orsClient } from "./support/ors-client.ts";
import { test } from "./support/test-server.ts";

/** Rewards each “up” with a quarter. The rollout's reward is 1, whatever its turns got. */
const climb = defineEnvironment({
  name: "climb",
  dataset: () => [{ prompt: "Climb." }],
  respond(context) {
    if (context.reply === "up") context.reward(0.25);
    return context.reply === "top" ? end("The top.") : "Go on.";
  },
  rubric: { top: ({ reply }) => Number(reply === "top") },
});

const replies = ["up", "rest", "up", "top"];

describe("rewards of turns", () => {
  test("add up to the rollout's reward over OpenEnv", async ({ startServer }) => {
    const { openSocket } = await startServer([climb()]);
    const socket = await openSocket();
    for (let round = 0; round < 2; round += 1) {
      await socket.reset();
      const rewards: unknown[] = [];
      for (const text of replies) rewards.push((await socket.step({ text }))?.data.reward);
      expect(rewards).toEqual([0.25, null, 0.25, 0.5]);
      const state = await socket.request({ type: "state" });
      expect(state?.data).toMatchObject({ reward: 1 });
    }
  });

  test("add up to the rollout's reward in NeMo Gym's gymnasium style", async ({ startServer }) => {
    const agent = nemoClient(await startServer([climb()]), "climb");
    await agent.post("reset", rowOf(0));
    const rewards: unknown[] = [];
    for (const text of replies)
      rewards.push(
        (await agent.post("step", rowWithOutput(rowOf(0), message(text)))).json["reward"],
      );
    expect(rewards).toEqual([0.25, 0, 0.25, 0.5]);
  });

  test("are absent over ORS, whose clients take the last reward", async ({ startServer }) => {
    const { url } = await startServer([climb()]);
    const client = orsClient({ url }, "climber");
    await client.post("/create", { split: "train", index: 0 });
    const rewards: unknown[] = [];
    for (const text of replies)
      rewards.push((await client.call("/climb/call", "respond", { text })).output?.reward);
    expect(rewards).toEqual([null, null, null, 1]);
  });
});

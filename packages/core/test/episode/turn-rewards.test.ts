import { defineEnvironment, end } from "@envs/core";
import { episode } from "@envs/core/engine";
import { describe, expect, test } from "vitest";
import * as z from "zod";

const climb = defineEnvironment({
  name: "climb",
  dataset: () => [{ prompt: "Climb." }],
  tools: {
    grip: {
      description: "Grips",
      input: z.object({}),
      execute(_input, context) {
        context.reward(0.25);
        return "Firm.";
      },
    },
  },
  respond(context) {
    if (context.reply === "nan") context.reward(Number.NaN);
    if (context.reply === "up") context.reward(0.5);
    return context.reply === "top" ? end() : "Go on.";
  },
  rubric: {
    top: ({ reply }) => Number(reply === "top"),
    effort: {
      weight: 0,
      score: ({ turnRewards }) => turnRewards.reduce((sum, reward) => sum + reward, 0),
    },
  },
});

const say = (content: string) => ({ role: "assistant", content }) as const;
const grip = (id: string) =>
  ({ id, type: "function", function: { name: "grip", arguments: "{}" } }) as const;

describe("context.reward()", () => {
  test("adds up in each turn, for the rubric to read", async () => {
    const played = episode(climb(), { prompt: "Climb." });
    await played.start();
    await played.step(say("up"));
    await played.step(say("rest"));
    await played.step({ ...say(""), tool_calls: [grip("a"), grip("b")] });
    await played.step(say("top"));
    expect(played.turnRewards).toEqual([0.5, 0, 0.5, 0]);
    expect(await played.score()).toEqual({ reward: 1, scores: { top: 1, effort: 1 } });
  });

  test("fails the rollout if the reward is not a finite number", async () => {
    const played = episode(climb(), { prompt: "Climb." });
    await played.start();
    await expect(played.step(say("nan"))).rejects.toThrow("context.reward() received NaN");
  });
});

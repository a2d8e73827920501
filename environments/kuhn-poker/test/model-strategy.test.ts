import { assistantMessage, type Message, type Model, policy, rollout } from "@envs/core";
import { expect, test } from "vitest";

import { careless, deck, modelStrategy, openHistories } from "../src/exact.ts";
import kuhnPoker from "../src/index.ts";

const reply = (action: string) => assistantMessage(`<action>${action}</action>`);

/** Bets and calls with a K; with other cards, in the given share of the seeds. */
const bluffer =
  (share: number): Model =>
  async ({ messages, seed = 0 }) => {
    const text = JSON.stringify(messages);
    const isActive = text.includes("hold K") || seed % 100 < 100 * share;
    const facesBet = text.endsWith('Fold or call?"}]');
    const action = facesBet ? (isActive ? "call" : "fold") : isActive ? "bet" : "check";
    return { message: reply(action), finish: "stop" };
  };

test("measures the shares of the actions at each point of the game", async () => {
  const { strategy, illegal } = await modelStrategy(bluffer(0.25), { samples: 100 });
  expect(illegal).toBe(0);
  for (const history of openHistories)
    for (const card of deck) expect(strategy(card, history)).toBeCloseTo(card === "K" ? 1 : 0.25);
});

test("takes the probability of a reply from its tokens", async () => {
  const model: Model = async ({ messages, seed = 0 }) => {
    const facesBet = JSON.stringify(messages).includes("Fold or call?");
    const [active, passive] = facesBet ? ["call", "fold"] : ["bet", "check"];
    // The reply was sampled half of the time, independently of its probability.
    const index = seed % 3;
    const [text, probability] = [reply(active!).content, reply(passive!).content, "I think"].map(
      (content, at) => [content, [0.6, 0.2, 0.2][at]!] as const,
    )[index]!;
    const tokens = {
      promptIds: [1],
      completionIds: [index],
      completionLogprobs: [Math.log(probability)],
    };
    return { message: assistantMessage(text), finish: "stop", tokens };
  };
  const { strategy, illegal } = await modelStrategy(model, { samples: 9 });
  expect(illegal).toBeCloseTo(0.2);
  expect(strategy("Q", ["bet"])).toBeCloseTo(careless(0.75)("Q", ["bet"]));
});

test("sends the model the same messages as the environment", async () => {
  const asked = new Set<string>();
  const noting: Model = async (request) => {
    asked.add(JSON.stringify(request.messages));
    return bluffer(0.5)(request);
  };
  await modelStrategy(noting, { samples: 1 });
  const seen: (readonly Message[])[] = [];
  const player: Model = async (request) => {
    seen.push(request.messages);
    return bluffer(0.3)(request);
  };
  const environment = kuhnPoker({ examples: 6 });
  for (let hand = 0; hand < 6; hand += 1)
    for (const [index, model] of [player, policy("careless")].entries())
      await rollout(
        environment,
        { prompt: [], hand, deal: { player0: deck[hand % 3]!, player1: deck[(hand + 1) % 3]! } },
        { model: { player0: index === 0 ? model : player, player1: player }, seed: hand },
      );
  expect(seen.length).toBeGreaterThan(12);
  for (const messages of seen) expect(asked).toContain(JSON.stringify(messages));
});

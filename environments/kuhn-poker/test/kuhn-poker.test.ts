import {
  assistantMessage,
  evaluate,
  type Model,
  type ModelRequest,
  policy,
  rollout,
} from "@envs/core";
import { checkEnvironment } from "@envs/core/testing";
import { describe, expect, test } from "vitest";

import kuhnPoker from "../src/index.ts";

const deal = { player0: "K", player1: "J" } as const;
const example = { prompt: [], hand: 0, deal };

/** A model that replies these actions, and records its requests. */
function scripted(...actions: readonly string[]): { model: Model; requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  const model: Model = async (request) => {
    requests.push(request);
    const content = `<action>${actions[requests.length - 1] ?? "none"}</action>`;
    return { message: assistantMessage(content), finish: "stop" };
  };
  return { model, requests };
}

function play(first: readonly string[], second: readonly string[]) {
  const [player0, player1] = [scripted(...first), scripted(...second)];
  return {
    player0,
    player1,
    played: rollout(kuhnPoker(), example, {
      model: { player0: player0.model, player1: player1.model },
    }),
  };
}

test("conforms", async () => {
  await checkEnvironment(kuhnPoker, { packageName: "@envs/kuhn-poker" });
});

describe("a hand", () => {
  test.each([
    [["check"], ["check"], 1],
    [["bet"], ["fold"], 1],
    [["bet"], ["call"], 2],
    [["check", "fold"], ["bet"], -1],
    [["check", "call"], ["bet"], 2],
  ])("of %j and %j pays player0 %d", async (first, second, chips) => {
    expect(await play(first, second).played).toMatchObject({
      status: "scored",
      reward: chips,
      otherSeats: { player1: { reward: -chips } },
    });
  });

  test("shows a card at a showdown only", async () => {
    const folded = await play(["bet"], ["fold"]).played;
    expect(JSON.stringify(folded.completion)).not.toContain("player1 held");
    const called = await play(["bet"], ["call"]).played;
    expect(called.completion.at(-1)?.content).toBe("player1: call. You win 2. player1 held J.");
  });

  test("never shows a player the card of the other before they act", async () => {
    const { played, player0, player1 } = play(["check", "call"], ["bet"]);
    await played;
    const textOf = ({ requests }: typeof player0) =>
      JSON.stringify(requests.map(({ messages }) => messages.slice(1)));
    expect(textOf(player0)).not.toMatch(/\bJ\b/);
    expect(textOf(player1)).not.toMatch(/\bK\b/);
  });

  test("is forfeited by the second illegal reply", async () => {
    const played = await play(["bet"], ["check", "raise"]).played;
    expect(played).toMatchObject({
      reward: 2,
      scores: { forfeit: 0, won: 1 },
      otherSeats: { player1: { reward: -2, scores: { forfeit: 1 } } },
    });
  });
});

test("the policy equilibrium wins the value of the game in each seat", async () => {
  const { seats } = await evaluate(kuhnPoker({ examples: 1000 }), {
    model: policy("equilibrium"),
    rotateSeats: true,
    examples: 1000,
    rolloutsPerExample: 2,
  });
  // Two standard errors; the seed is fixed.
  expect(Math.abs((seats?.["player0"]?.reward.mean ?? 9) + 1 / 18)).toBeLessThan(0.1);
  expect(Math.abs((seats?.["player1"]?.reward.mean ?? 9) - 1 / 18)).toBeLessThan(0.1);
});

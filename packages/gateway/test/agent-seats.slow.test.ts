import { defineEnvironment, end, rollout, textOf } from "@envs/core";
import { scriptedModel } from "@envs/core/testing";
import { agent, type AgentContext, agentProgram } from "@envs/gateway";
import OpenAI from "openai";
import { expect, test } from "vitest";

/** Two seats reply in turn, twice each. Each sees its own card only. */
const cards = defineEnvironment({
  name: "cards",
  dataset: () => [{ prompt: [], cards: { first: "K", second: "Q" } }],
  setup: () => ({ bids: [] as string[] }),
  seats: {
    players: { first: {}, second: {} },
    turn: ({ state }) => (state.bids.length % 2 === 0 ? "first" : "second"),
    observe: ({ state, example, seat }) =>
      `Card ${example.cards[seat]}, ${state.bids.length} bids.`,
  },
  respond({ state, reply }) {
    state.bids.push(reply);
    return state.bids.length === 4 ? end() : [];
  },
  episode: { maxTurns: 2 },
  rubric: { bids: ({ state, seat }) => state.bids.filter((bid) => bid.startsWith(seat)).length },
});

const example = { prompt: [], cards: { first: "K", second: "Q" } };

test("one agent plays several seats, each with its own conversation, session and calls", async () => {
  const contexts: AgentContext[] = [];
  const player = agent(
    async (context) => {
      contexts.push(context);
      const prompt = context.messages.map(({ content }) => textOf(content)).join(" ");
      const { chat } = new OpenAI(context);
      await chat.completions.create({
        model: "any",
        messages: [{ role: "user", content: prompt }],
      });
      return prompt.includes("Card K") ? "first" : "second";
    },
    { model: scriptedModel("ok") },
  );
  const result = await rollout(cards(), example, { model: { first: player, second: player } });
  expect(result).toMatchObject({
    status: "scored",
    seat: "first",
    reward: 2,
    otherSeats: { second: { reward: 2 } },
  });
  expect(new Set(contexts.map(({ apiKey }) => apiKey)).size).toBe(2);
  const [first, second] = [result, result.otherSeats!["second"]!].map(({ trajectory }) =>
    trajectory.map(({ calls }) => calls!.map(({ messages }) => textOf(messages[0]!.content))),
  );
  expect(first).toEqual([["Card K, 0 bids."], ["Card K, 0 bids. first Card K, 2 bids."]]);
  expect(second).toEqual([["Card Q, 1 bids."], ["Card Q, 1 bids. second Card Q, 3 bids."]]);
});

test("one program plays several seats, each in its own folder", async () => {
  const player = agentProgram({
    command: "/bin/sh",
    args: ({ prompt, observation }) => [
      "-c",
      'printf "%s;" "$1" >> notes; printf "%s" "$2 "; cat notes',
      "sh",
      prompt,
      `${prompt.includes("Card K") ? "first" : "second"} ${observation}`,
    ],
    model: scriptedModel("unused"),
  });
  const result = await rollout(cards(), example, { model: { first: player, second: player } });
  const repliesOf = ({ completion }: Pick<typeof result, "completion">) =>
    completion.filter(({ role }) => role === "assistant").map(({ content }) => content);
  expect(repliesOf(result)).toEqual([
    "first 0 Card K, 0 bids.;",
    "first 1 Card K, 0 bids.;Card K, 2 bids.;",
  ]);
  expect(repliesOf(result.otherSeats!["second"]!)).toEqual([
    "second 0 Card Q, 1 bids.;",
    "second 1 Card Q, 1 bids.;Card Q, 3 bids.;",
  ]);
});

import { defineEnvironment, end, invalid } from "@envs/core";
import { bundleClient, bundleRequests } from "@envs/records/bundle";
import { describe, expect, it } from "vitest";

import { readAddress, writeAddress } from "../../src/player/address.ts";
import { entriesOf, type GameState, type PlaySetup } from "../../src/player/game-state.ts";
import { Game } from "../../src/player/game.ts";
import type { PlaySession } from "../../src/player/session.ts";
import { readStarted, readView } from "../../src/player/view-schema.ts";

/** Both sides add 1 or 2; the episode ends at 6. */
const race = defineEnvironment({
  name: "race",
  dataset: () => [{ prompt: "0" }],
  setup: () => ({ sum: 0, next: "first" as "first" | "second" }),
  seats: {
    players: { first: {}, second: { policy: "one", prompt: () => [] } },
    turn: ({ state }) => state.next,
    observe: ({ state }) => (state.sum >= 6 ? "Over." : `${state.sum}`),
  },
  respond({ reply, state, seat }) {
    if (!/^[12]$/.test(reply)) return invalid("Add 1 or 2.");
    state.sum += Number(reply);
    state.next = seat === "first" ? "second" : "first";
    return state.sum >= 6 ? end() : [];
  },
  game: { choices: () => ["1", "2"] },
  rubric: { sum: ({ state }) => state.sum },
  policies: { one: () => "1" },
});
const seats = [{ name: "first" }, { name: "second", policy: "one" }];

/** A session in this process, with the checks of the page. */
function localSession(): PlaySession {
  const client = bundleClient(bundleRequests(race));
  let episode = 0;
  return {
    async start({ example, ...choice }) {
      const started = readStarted(await client.start({ ...choice, example: { index: example } }));
      ({ episode } = started);
      return started;
    },
    respond: async (reply) => readView(await client.respond({ episode, reply })),
    close: () => undefined,
  };
}

const setup: PlaySetup = {
  role: "first",
  player: "two",
  config: {},
  split: undefined,
  example: 0,
  seed: 0,
};

async function startGame(part: Partial<PlaySetup> = {}) {
  let replies = 0;
  const asked: unknown[][] = [];
  const ask = async (_: string, state: GameState) => {
    replies += 1;
    asked.push(entriesOf(state).map(({ message }) => message.content));
    return { role: "assistant", content: "2" } as const;
  };
  const game = new Game(localSession(), { ask, seats }, { ...setup, ...part });
  await game.start({ ...setup, ...part });
  return { game, asked, replies: () => replies };
}

const textsOf = (game: Game) => game.state().entries.map(({ message }) => message.content);

describe("a game on the player page", () => {
  it("lets a person take a seat against its policy, with scores after each move", async () => {
    const { game } = await startGame();
    await game.move("2");
    expect([game.state().phase, game.state().scores?.reward]).toEqual(["turn", 3]);
    await game.move("2");
    expect([game.state().phase, game.state().scores?.reward]).toEqual(["over", 6]);
    expect(textsOf(game)).toEqual(["0", "2", "3", "2", "Over."]);
  });

  it("takes back the last move by playing the moves before it again", async () => {
    const { game } = await startGame();
    await game.move("2");
    await game.move("1");
    await game.undo();
    expect(textsOf(game)).toEqual(["0", "2", "3"]);
    expect(game.state().moves).toHaveLength(1);
  });

  it("marks a reply that the environment rejects", async () => {
    const { game } = await startGame();
    await game.move("3");
    expect(game.state().entries.map(({ isInvalid }) => isInvalid)).toEqual([
      undefined,
      true,
      undefined,
    ]);
    expect(game.state().phase).toBe("turn");
  });

  it("asks the model for seats without a policy, and not again for replayed moves", async () => {
    const { game, replies, asked } = await startGame({ role: "second" });
    expect([textsOf(game), replies(), game.state().phase]).toEqual([["2"], 1, "turn"]);
    await game.move("1");
    expect([textsOf(game), replies()]).toEqual([["2", "1", "5"], 2]);
    expect(asked).toEqual([["0"], ["0", "2", "3"]]);
    await game.undo();
    expect([textsOf(game), replies()]).toEqual([["2"], 2]);
  });

  it("asks the model again for moves that are not in the link", async () => {
    const { game } = await startGame({ role: "second" });
    await game.move("1");
    const { moves } = game.state();
    const link = readAddress(writeAddress({ ...setup, role: "second" }, moves));
    expect([moves.length, link.moves]).toEqual([3, [{ by: "person", reply: "1" }]]);
    await game.start({ ...setup, role: "second" }, link.moves);
    expect([game.state().moves, textsOf(game)]).toEqual([moves, ["2", "1", "5"]]);
  });

  it("does not show a person the replies of other seats", async () => {
    const reply = { role: "assistant", content: "1", reasoning_content: "my hidden plan" } as const;
    const game = new Game(localSession(), { ask: async () => reply, seats }, setup);
    await game.start({ ...setup, role: "second" });
    const { entries, lastReply, view, phase } = game.state();
    expect(phase).toBe("turn");
    expect(JSON.stringify({ entries, lastReply, view })).not.toContain("hidden plan");
    const address = writeAddress({ ...setup, role: "second" }, game.state().moves);
    expect(decodeURIComponent(address)).not.toContain("hidden plan");
    await game.start({ ...setup, role: "watch" });
    expect(game.state().lastReply?.message).toEqual(reply);
  });

  it("watches until the end if the person plays no seat", async () => {
    const { game } = await startGame({ role: "watch" });
    expect([game.state().phase, game.state().scores?.reward]).toEqual(["over", 6]);
    expect(textsOf(game)).toEqual(["0", "2", "3", "2", "Over."]);
  });
});

describe("data of published code", () => {
  const view = { messages: [], isDone: false };

  it.each([
    ["a message with another role", { ...view, messages: [{ role: "admin", content: "" }] }],
    ["a reward that is not a number", { ...view, scores: { reward: "1", scores: {} } }],
    ["an infinite reward", { ...view, scores: { reward: Infinity, scores: {} } }],
    [
      "a board of 65 rows",
      { ...view, board: { label: "", rows: Array.from({ length: 65 }, () => []) } },
    ],
    ["a choice without a reply", { ...view, choices: [{ label: "x" }] }],
    ["a text", "x"],
  ])("is rejected if it is %s", (_, data) => {
    expect(() => readView(data)).toThrow("The environment returned data that is not valid");
  });

  it("names the scores that no judge gave", () => {
    const scores = { reward: 0, scores: { polite: null }, unjudged: { polite: 1 } };
    expect(readView({ ...view, scores }).scores?.unjudged).toEqual({ polite: 1 });
  });

  it("keeps only known fields", () => {
    expect(readView({ ...view, __html: "<b>" })).toEqual(view);
  });
});

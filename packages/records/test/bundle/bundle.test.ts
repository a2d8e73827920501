import { defineEnvironment, end, invalid, policy, rollouts, type ScoredRollout } from "@envs/core";
import { contentHash, examples } from "@envs/core/engine";
import { bundleClient, bundleRequests, type RecordedRollout } from "@envs/records/bundle";
import { describe, expect, it } from "vitest";
import * as z from "zod";

/** A game with random numbers, a group score, a stop condition and a tool. */
const guess = defineEnvironment({
  name: "guess",
  config: z.object({ high: z.int().min(1).default(10) }),
  *dataset({ config, random }) {
    for (;;) yield { prompt: "Guess.", number: random.int(config.high) };
  },
  setup: ({ random }) => ({ luck: random.int(100), guesses: [] as string[] }),
  tools: {
    hint: {
      description: "Ask for a hint",
      input: z.object({}),
      execute: ({}, { state }) => `luck ${state.luck}`,
    },
  },
  respond({ reply, example, state }) {
    state.guesses.push(reply);
    return reply === `${example.number}` ? end("Right.") : "Wrong.";
  },
  episode: { maxTurns: 4, stop: { gaveUp: ({ reply }) => reply === "give up" } },
  rubric: {
    right: ({ reply, example }) => reply === `${example.number}`,
    luck: { weight: 0.01, score: ({ state, random }) => state.luck + random.int(10) },
    shortest: {
      weight: 0.5,
      group: (all) => {
        const least = Math.min(...all.map(({ turns }) => turns));
        return all.map(({ turns }) => turns === least);
      },
    },
  },
  policies: {
    varied: ({ random, example }) =>
      random.next() < 0.5 ? `${example.number}` : random.pick(["x", "y", "give up"]),
  },
});

const client = () => bundleClient(bundleRequests(guess));

async function played(): Promise<readonly ScoredRollout[]> {
  const all: ScoredRollout[] = [];
  const run = rollouts(guess({ high: 5 }), {
    model: policy("varied"),
    examples: 6,
    rolloutsPerExample: 3,
    seed: 7,
  });
  for await (const rollout of run) if (rollout.status === "scored") all.push(rollout);
  return all;
}

const recordOf = ({ trajectory }: ScoredRollout): RecordedRollout => ({
  replies: trajectory.map(({ message, finish }) => ({ message, isTruncated: finish === "length" })),
});

describe("a bundle", () => {
  it("lists examples with the keys of a run", async () => {
    const page = await client().examples({ config: { high: 5 }, seed: 7, offset: 2, count: 3 });
    const expected: { index: number; key: string }[] = [];
    for await (const { index, key } of examples(guess({ high: 5 }), { seed: 7, count: 5 }))
      expected.push({ index, key });
    expect(page).toEqual({ splits: [], examples: expected.slice(2), hasMore: true });
  });

  it("lists at most 100 examples of an endless dataset", async () => {
    const { examples: listed, hasMore } = await client().examples({ count: 1e9 });
    expect([listed.length, hasMore]).toEqual([100, true]);
  });

  it("plays an episode and reports scores while it goes on", async () => {
    const { start, respond, score, close } = client();
    const started = await start({ example: { index: 0 } });
    const { episode, messages, tools, maxTurns, isDone, example, key } = started;
    expect(contentHash(example)).toBe(key);
    expect([messages, tools.length, maxTurns, isDone]).toEqual([
      [{ role: "user", content: "Guess." }],
      1,
      4,
      false,
    ]);
    const call = {
      id: "1",
      type: "function",
      function: { name: "hint", arguments: "{}" },
    } as const;
    const hinted = await respond({
      episode,
      reply: { role: "assistant", content: "", tool_calls: [call] },
    });
    expect(hinted.messages[0]?.content).toMatch(/^luck \d+$/);
    const wrong = await respond({ episode, reply: "x" });
    expect(wrong).toMatchObject({ isDone: false, scores: { scores: { right: 0 } } });
    expect(await respond({ episode, reply: "give up" })).toMatchObject({
      isDone: true,
      stopReason: "gaveUp",
    });
    expect(await score({ episode })).toMatchObject({ scores: { right: 0, shortest: 1 } });
    await close({ episode });
    await expect(score({ episode })).rejects.toThrow("There is no open episode 1. Start one.");
  });

  it("replays the rollouts of a run to the same scores", async () => {
    const all = await played();
    expect(all).toHaveLength(18);
    const { replay } = client();
    for (const { exampleIndex: index, exampleKey: key } of all.filter(
      ({ rolloutIndex }) => rolloutIndex === 0,
    )) {
      const group = all.filter(({ exampleKey }) => exampleKey === key);
      const replayed = await replay({
        config: { high: 5 },
        seed: 7,
        example: { index, key },
        rollouts: group.map(recordOf),
      });
      expect(replayed.rollouts).toEqual(
        group.map(({ reward, scores, stopReason, isTruncated, prompt, completion }) => ({
          reward,
          scores,
          stopReason,
          isTruncated,
          prompt,
          completion,
        })),
      );
    }
  });

  it("replays a rollout that a limit of its driver ended", async () => {
    const { rollouts: replayed } = await client().replay({
      example: { index: 0 },
      rollouts: [
        { replies: [{ message: { role: "assistant", content: "x" } }], limit: "tokens" },
        { replies: [], limit: "context" },
      ],
    });
    expect(replayed).toMatchObject([
      { stopReason: "tokens", isTruncated: true },
      { stopReason: "context", isTruncated: true },
    ]);
  });

  it.each([
    ["has too few replies", ["x"], "The episode has not ended after the 1 replies of the record."],
    [
      "has replies after the end",
      ["give up", "x"],
      "The episode ended after 1 replies, but the record has 2.",
    ],
  ])("reports a record that %s", async (_, texts, problem) => {
    const replies = texts.map((content) => ({ message: { role: "assistant", content } as const }));
    const { rollouts: replayed } = await client().replay({
      example: { index: 0 },
      rollouts: [{ replies }],
    });
    expect(replayed).toEqual([{ problem }]);
  });

  it.each([
    ["another key", { example: { index: 0, key: "0000" } }, /has the key \w+, not 0000/],
    ["an index that is not a number", { example: { index: -1 } }, /a whole number from 0, not -1/],
    ["an unknown option", { example: { index: 0 }, config: { hihg: 1 } }, /hihg/],
    ["an index far away", { example: { index: 1e6 } }, /the first 100000 examples/],
  ])("rejects %s", async (_, request, message) => {
    await expect(client().start(request)).rejects.toMatchObject({ code: "config" });
    await expect(client().start(request)).rejects.toThrow(message);
  });

  it("rejects a method that it does not have", async () => {
    const request = bundleRequests(guess);
    expect(JSON.parse(await request(`{"method":"constructor"}`))).toEqual({
      error: { code: "config", message: 'A bundle has no method "constructor".' },
    });
    expect(JSON.parse(await request("{"))).toHaveProperty("error.code", "environment");
  });
});

/** A race to six: both sides add 1 or 2, and each reads the sum before its turn. */
const race = defineEnvironment({
  name: "race",
  dataset: () => [{ prompt: "0" }],
  setup: () => ({ sum: 0, next: "first" as "first" | "second" }),
  seats: {
    players: {
      first: {},
      second: { policy: "one", prompt: () => [], systemPrompt: "You add second." },
    },
    turn: ({ state }) => state.next,
    observe: ({ state }) => (state.sum >= 6 ? "Over." : `${state.sum}`),
  },
  respond({ reply, state, seat }) {
    if (!/^[12]$/.test(reply)) return invalid("Add 1 or 2.");
    state.sum += Number(reply);
    state.next = seat === "first" ? "second" : "first";
    return state.sum >= 6 ? end() : [];
  },
  game: {
    choices: () => ["1", { reply: "2", label: "two" }],
    board: ({ state, seat }) => ({
      label: seat,
      rows: [[{ text: `${state.sum}`, label: `${state.sum}`, reply: "1" }]],
    }),
  },
  rubric: { last: ({ state, seat }) => state.sum >= 6 && state.next !== seat },
  policies: { one: () => "1", two: () => "2" },
});

describe("a bundle of a game", () => {
  const startRace = async (seats?: readonly string[]) => {
    const game = bundleClient(bundleRequests(race));
    const started = await game.start({ example: { index: 0 }, seats });
    return { ...game, ...started };
  };

  it("shows choices, the board and rejected replies", async () => {
    const { episode, respond, choices, board, seat } = await startRace();
    expect(choices).toEqual([
      { reply: "1", label: "1" },
      { reply: "2", label: "two" },
    ]);
    expect([seat, board?.rows]).toEqual(["first", [[{ text: "0", label: "0", reply: "1" }]]]);
    expect(await respond({ episode, reply: "3" })).toMatchObject({ isInvalid: true });
    const view = await respond({ episode, reply: "2" });
    expect([view.board?.rows[0]?.[0]?.text, view.isInvalid]).toEqual(["3", undefined]);
  });

  it("asks for the replies of all seats that the caller plays, each with its own messages", async () => {
    const { episode, respond, seat, messages, board, isDone } = await startRace([
      "second",
      "first",
    ]);
    expect([seat, messages, board?.label, isDone]).toEqual([
      "first",
      [{ role: "user", content: "0" }],
      "second",
      false,
    ]);
    expect(await respond({ episode, reply: "2" })).toMatchObject({
      seat: "second",
      messages: [
        { role: "system", content: "You add second." },
        { role: "user", content: "2" },
      ],
      choices: [{ reply: "1" }, { reply: "2" }],
    });
    expect(await respond({ episode, reply: "5" })).toMatchObject({
      seat: "second",
      messages: [{ content: "Add 1 or 2." }],
      isInvalid: true,
    });
    expect(await respond({ episode, reply: "2" })).toMatchObject({
      seat: "first",
      messages: [{ content: "4" }],
    });
    const last = await respond({ episode, reply: "2" });
    expect(last).toMatchObject({ seat: "second", isDone: true, choices: [] });
    expect([last.messages, last.scores]).toEqual([
      [{ role: "user", content: "Over." }],
      {
        reward: 0,
        scores: { last: 0 },
        otherSeats: { first: { reward: 1, scores: { last: 1 } } },
      },
    ]);
  });

  it("asks policies for the seat that comes next, and ends an episode that waits for a reply", async () => {
    const { episode, advise, close } = await startRace(["second", "first"]);
    expect(await advise({ episode, policy: "two" })).toMatchObject({ content: "2" });
    expect(await close({ episode })).toEqual({});
  });

  it("rejects seats that the environment does not have", async () => {
    await expect(startRace(["third"])).rejects.toThrow('race has no seat named "third"');
  });

  it("returns the reply of a policy without playing it", async () => {
    const { episode, advise, respond } = await startRace();
    expect(await advise({ episode, policy: "two" })).toEqual({ role: "assistant", content: "2" });
    expect((await respond({ episode, reply: "1" })).board?.rows[0]?.[0]?.text).toBe("2");
  });
});

import { parseRow, toRow } from "@envs/records";
import { bundleClient, bundleRequests, recordOf } from "@envs/records/bundle";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { episode } from "../../src/engine.ts";
import {
  assistantMessage,
  defineEnvironment,
  end,
  evaluate,
  type Model,
  type ModelRequest,
  policy,
  rollout,
} from "../../src/index.ts";
import { duel, throws } from "../fixtures/duel.ts";

const [example] = [{ prompt: [], secrets: { left: "L-7734", right: "R-9051" } }];

/** A model that replies these texts, then "pass", and remembers what it was asked. */
function speaker(...texts: readonly string[]): { model: Model; requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  const model: Model = async (request) => {
    requests.push(request);
    const content = texts[requests.length - 1] ?? "pass";
    return {
      message: assistantMessage(content),
      finish: "stop",
      usage: { inputTokens: 1, outputTokens: 1 },
    };
  };
  return { model: Object.assign(model, { id: `script: ${texts.join(", ")}` }), requests };
}

describe("an episode with seats", () => {
  test("gives each seat its own conversation, score and trajectory", async () => {
    const { model: left } = speaker("hello");
    const { model: right } = speaker("L-7734");
    const played = await rollout(duel(), example, { model: { left, right } });
    expect(played).toMatchObject({
      status: "scored",
      seat: "left",
      reward: 0,
      scores: { win: 0, forfeit: 0, words: 1 },
      prompt: [
        { role: "system", content: "You sit on the left." },
        { role: "user", content: "Your secret is L-7734. Begin." },
      ],
      completion: [
        { role: "assistant", content: "hello" },
        { role: "user", content: "You lose." },
      ],
      otherSeats: {
        right: {
          model: "script: L-7734",
          reward: 1,
          scores: { win: 1, forfeit: 0, words: 1 },
          prompt: [
            { role: "system", content: "You sit on the right." },
            { role: "user", content: "Your secret is R-9051. The other said hello." },
          ],
          completion: [
            { role: "assistant", content: "L-7734" },
            { role: "user", content: "You win." },
          ],
        },
      },
    });
    expect(played.otherSeats?.["right"]?.trajectory).toHaveLength(1);
  });

  test("keeps the calls of an agent on any seat", async () => {
    const agent: Model = async (request) => ({
      ...(await speaker("hi").model(request)),
      calls: [],
    });
    const played = await rollout(duel(), example, { model: { left: agent, right: agent } });
    expect(played.trajectory[0]?.calls).toEqual([]);
    expect(played.otherSeats?.["right"]?.trajectory[0]?.calls).toEqual([]);
  });

  test("never shows a seat what only the other seat has seen", async () => {
    const word = fc.stringMatching(/^[a-z]{3,8}$/);
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 6 }), fc.array(word), async (mine, theirs) => {
        const left = speaker(...mine);
        const right = speaker(...theirs);
        await rollout(duel(), example, { model: { left: left.model, right: right.model } });
        const seen = (requests: readonly ModelRequest[]) => JSON.stringify(requests);
        expect(seen(left.requests)).not.toContain("R-9051");
        expect(seen(right.requests)).not.toContain("L-7734");
      }),
    );
  });

  test("asks seats at the same time, and shows neither the reply of the other", async () => {
    const asked: string[] = [];
    const both = Promise.withResolvers<void>();
    const thrower =
      (reply: string): Model =>
      async ({ messages }) => {
        asked.push(JSON.stringify(messages));
        if (asked.length === 2) both.resolve();
        await both.promise;
        return { message: assistantMessage(reply), finish: "stop" };
      };
    const models = { left: thrower("paper"), right: thrower("rock") };
    const left = await rollout(throws(), { prompt: "Throw." }, { model: models });
    expect(asked).toHaveLength(2);
    expect(asked.join("")).not.toMatch(/paper|rock/);
    expect(left).toMatchObject({ reward: 1, otherSeats: { right: { reward: -1 } } });
  });

  test("asks a seat again whose reply was invalid, and not the other", async () => {
    const left = speaker("lizard", "paper");
    const right = speaker("rock");
    const model = { left: left.model, right: right.model };
    const played = await rollout(throws(), { prompt: "Throw." }, { model });
    expect([left.requests.length, right.requests.length]).toEqual([2, 1]);
    expect(played).toMatchObject({ status: "scored", reward: 1 });
  });

  test("fails with the code model if the model of any seat fails", async () => {
    const broken: Model = () => Promise.reject(new Error("out of memory"));
    const model = { left: speaker().model, right: broken };
    const failed = await rollout(duel(), example, { model });
    expect(failed).toMatchObject({ status: "failed", error: { code: "model" } });
    expect(failed.otherSeats?.["right"]).not.toHaveProperty("reward");
  });

  test("counts a limit against the seat that reached it", async () => {
    const chatter = speaker("a", "b", "c", "d", "e");
    const silent = speaker("w", "x", "y", "z");
    const model = { left: chatter.model, right: silent.model };
    const played = await rollout(duel(), example, { model });
    expect(played).toMatchObject({
      stopReason: "turns",
      isTruncated: true,
      scores: { forfeit: 1 },
      otherSeats: { right: { isTruncated: false, scores: { forfeit: 0 } } },
    });
  });

  test.each([["middle"], [[]], [["left", "left"]]])("fails if turn returns %j", async (next) => {
    const odd = defineEnvironment({
      name: "odd",
      dataset: () => [{ prompt: "?" }],
      seats: { players: { left: {} }, turn: () => next as "left" },
      respond: () => end(),
      rubric: { one: () => 1 },
    });
    const failed = await rollout(odd(), { prompt: "?" }, { model: speaker().model });
    expect(failed).toMatchObject({
      status: "failed",
      error: { code: "environment", message: expect.stringContaining("turn returned") },
    });
  });
});

describe("a seat without a model", () => {
  test("is played by its policy, which draws the same numbers in each rollout of an example", async () => {
    const chatty = defineEnvironment({
      ...duel.definition,
      seats: { ...duel.definition.seats!, players: { left: {}, right: { policy: "chat" } } },
    } as never) as unknown as typeof duel;
    const chatterer: Model = async () => ({ message: assistantMessage("a"), finish: "stop" });
    const { rollouts } = await evaluate(chatty(), { model: chatterer, examples: 2 });
    const seen = rollouts.map(({ exampleKey, completion }) => [exampleKey, completion]);
    expect(new Set(seen.map((each) => JSON.stringify(each))).size).toBe(2);
    expect(rollouts.every(({ otherSeats }) => otherSeats === undefined)).toBe(true);
  });

  test.each([
    [throws(), {}, "No model was passed for any seat"],
    [throws(), { left: speaker().model }, "No model plays the seat right of throws"],
    [duel(), { middle: speaker().model }, 'duel has no seat named "middle"'],
    [duel(), { left: "gpt" }, 'The model is "gpt", not a function'],
  ])("is reported before the first call", async (environment, model, message) => {
    await expect(evaluate(environment as never, { model: model as never })).rejects.toThrow(
      message,
    );
  });

  test("is reported by an environment without seats", async () => {
    const alone = defineEnvironment({
      name: "alone",
      dataset: () => [{ prompt: "?" }],
      rubric: { one: () => 1 },
    });
    const model = { left: speaker().model } as never;
    await expect(evaluate(alone(), { model })).rejects.toThrow("alone has no seats");
    expect(() => episode(alone(), { prompt: "?" }, { seat: "left" })).toThrow("alone has no seats");
  });
});

describe("a run", () => {
  test("gives one model every seat without a policy", async () => {
    const { model, requests } = speaker("rock", "rock");
    const played = await rollout(throws(), { prompt: "Throw." }, { model });
    expect(requests).toHaveLength(2);
    expect(played).toMatchObject({ seat: "left", reward: 0, otherSeats: { right: { reward: 0 } } });
  });

  test("rotates the seats, and summarizes each", async () => {
    const { rollouts, seats, reward } = await evaluate(duel(), {
      model: policy("guess"),
      rotateSeats: true,
      examples: 1,
      rolloutsPerExample: 4,
    });
    expect(rollouts.map(({ seat }) => seat)).toEqual(["left", "right", "left", "right"]);
    // The left player guesses first, and wins.
    expect(reward.mean).toBe(0.5);
    expect(seats?.["left"]).toMatchObject({ reward: { mean: 1 }, counts: { total: 2 } });
    expect(seats?.["right"]).toMatchObject({ reward: { mean: 0 }, counts: { total: 2 } });
  });

  test("counts the seats of models in its summary", async () => {
    const model = { left: speaker().model, right: policy("guess") };
    const { seats, reward } = await evaluate(duel(), { model, examples: 2 });
    expect(reward.mean).toBe(0);
    expect(seats?.["right"]?.reward.mean).toBe(1);
  });
});

describe("a record", () => {
  const model = { left: speaker("hi", "there").model, right: policy("chat") };
  const play = () => rollout(duel(), example, { model, maxTurns: 3 });

  test("keeps the trajectories of all seats", async () => {
    const played = await play();
    const read = parseRow(JSON.stringify(toRow(played)));
    expect(parseRow(JSON.stringify(toRow(read as typeof played)))).toEqual(read);
    expect(read).toMatchObject({
      seat: "left",
      otherSeats: {
        right: { model: "policy:chat", completion: played.otherSeats!["right"]!.completion },
      },
    });
  });

  test("has no fields of seats without seats", async () => {
    const alone = defineEnvironment({
      name: "alone",
      dataset: () => [{ prompt: "?" }],
      rubric: { one: () => 1 },
    });
    const row = toRow(await rollout(alone(), { prompt: "?" }, { model: speaker().model }));
    expect(Object.keys(row).filter((field) => /seat/.test(field))).toEqual([]);
  });

  test("is replayed with the replies of all seats", async () => {
    const played = await play();
    const { replay } = bundleClient(bundleRequests(duel as never));
    const { rollouts } = await replay({
      example: { index: 0 },
      maxTurns: 3,
      rollouts: [recordOf(played)!],
    } as never);
    expect(rollouts).toMatchObject([{ reward: 0, completion: played.completion }]);
  });
});

test.each([
  [{ players: undefined }, "has no players in `seats`"],
  [{ players: {} }, "has no players in `seats`"],
  [{ players: { "not a name": {} } }, 'has a seat named "not a name"'],
  [{ turn: undefined }, "has seats, but no seats.turn"],
  [{ players: { left: { trainable: false }, right: { trainable: false } } }, "is trainable"],
  [{ players: { left: { policy: "missing" } } }, 'the default policy "missing"'],
])("rejects a definition whose seats have %j", (change, message) => {
  const definition = { ...duel.definition, seats: { ...duel.definition.seats, ...change } };
  expect(() => defineEnvironment(definition as never)).toThrow(message);
});

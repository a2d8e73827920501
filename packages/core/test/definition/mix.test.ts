import { parseRow, toRow } from "@envs/records";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import {
  episode,
  examples,
  policyNamesOf,
  splitSizesOf,
  splitsOf,
  subModelBudget,
} from "../../src/engine.ts";
import {
  assistantMessage,
  defineEnvironment,
  end,
  type Environment,
  evaluate,
  mix,
  type Model,
  policy,
  rollout,
  textOf,
  tool,
} from "../../src/index.ts";
import { checkEnvironment } from "../../src/testing/index.ts";
import { duel, throws } from "../fixtures/duel.ts";

const numbers = defineEnvironment({
  name: "numbers",
  config: z.object({ start: z.int().default(0).describe("The first number") }),
  systemPrompt: ({ config }) => `Repeat the number. The first is ${config.start}.`,
  *dataset({ config }) {
    for (let number = config.start; ; number += 1) yield { prompt: `${number}`, answer: number };
  },
  rubric: {
    correct: ({ reply, example }) => Number(reply) === example.answer,
    short: { weight: 0.5, score: ({ reply }) => reply.length < 3 },
  },
  policies: { echo: ({ example }) => `${example.answer}`, silent: () => "" },
});

const lookup = defineEnvironment({
  name: "lookup",
  systemPrompt: "Look it up.",
  dataset: () => ({
    train: [{ prompt: "a", id: "a" }],
    test: [
      { prompt: "b", id: "b" },
      { prompt: "c", id: "c" },
    ],
  }),
  setup: () => ({ hasLooked: false }),
  tools: {
    look: tool({
      description: "Looks something up",
      input: z.object({}),
      execute: (_, { state }) => {
        (state as { hasLooked: boolean }).hasLooked = true;
        return "found";
      },
    }),
  },
  episode: { maxTurns: 4 },
  rubric: {
    correct: ({ state }) => state.hasLooked,
    quick: { weight: 2, range: [0, 1], score: ({ turns }) => turns < 3 },
  },
  policies: {
    look: ({ state }) =>
      state.hasLooked
        ? "done"
        : {
            role: "assistant",
            content: "",
            tool_calls: [
              { id: "1", type: "function", function: { name: "look", arguments: "{}" } },
            ],
          },
    silent: () => "",
  },
});

const both = mix({
  name: "both",
  parts: {
    numbers: { environment: numbers, weight: 0.7 },
    lookup: { environment: lookup, weight: 0.3 },
  },
});

async function keys(environment: Environment, count = Infinity, split?: string) {
  const found: string[] = [];
  for await (const { key } of examples(environment, { count, split })) found.push(key);
  return found;
}

function partsOfKeys(all: readonly string[]): string {
  return all.map((key) => key[0]).join("");
}

const many = (name: string) =>
  defineEnvironment({
    name,
    *dataset() {
      for (let id = 0; ; id += 1) yield { prompt: name, id: `${id}` };
    },
    rubric: { right: () => 1 },
  });

describe("the examples of a mix", () => {
  it("are drawn evenly by weight", async () => {
    const weighted = mix({
      name: "weighted",
      parts: {
        x: { environment: many("x"), weight: 5 },
        y: { environment: many("y"), weight: 3 },
        z: { environment: many("z"), weight: 2 },
      },
    });
    const drawn = partsOfKeys(await keys(weighted(), 100));
    expect(drawn.slice(0, 10)).toBe("xyxzxyxyxz");
    for (let length = 1; length <= 100; length += 1)
      for (const [part, share] of [
        ["x", 0.5],
        ["y", 0.3],
        ["z", 0.2],
      ] as const) {
        const count = drawn.slice(0, length).split(part).length - 1;
        expect(Math.abs(count - share * length)).toBeLessThan(1);
      }
  });

  it("follow the option weights", async () => {
    const drawn = partsOfKeys(await keys(both({ weights: { numbers: 1, lookup: 1 } }), 4, "eval"));
    expect(drawn).toBe("nlnl");
  });

  it("have keys that begin with the part", async () => {
    expect(await keys(both(), 4, "eval")).toEqual([
      expect.stringMatching(/^numbers\/[0-9a-f]+$/),
      expect.stringMatching(/^numbers\/[0-9a-f]+$/),
      "lookup/b",
      expect.stringMatching(/^numbers\/[0-9a-f]+$/),
    ]);
  });

  it("end where the first part ends, so that the shares are exact", async () => {
    expect(partsOfKeys(await keys(both(), Infinity, "eval"))).toBe("nnlnnlnnn");
  });

  it("are in the splits that all parts have, and eval is the test split of a part without eval", async () => {
    expect(await splitsOf(both())).toEqual(["train", "test", "eval"]);
    expect((await keys(both(), 4)).find((key) => key.startsWith("l"))).toBe("lookup/b");
    expect((await keys(both(), 4, "train")).find((key) => key.startsWith("l"))).toBe("lookup/a");
  });

  it.each([
    [30, 40],
    [Infinity, null],
  ])("are counted without being read if the parts know their sizes: %s", async (size, mixed) => {
    const rows: Iterable<never> & { readonly size: number } = {
      size,
      [Symbol.iterator]: () => {
        throw new Error("read");
      },
    };
    const sized = defineEnvironment({ name: "sized", dataset: () => rows, rubric: { a: () => 1 } });
    const environment = mix({
      name: "sizes",
      parts: { sized: { environment: sized, weight: 3 }, same: { environment: sized } },
    })();
    expect(await splitSizesOf(environment)).toEqual([{ name: null, size: mixed }]);
  });

  it("name the part that has an invalid example", async () => {
    const broken = defineEnvironment({
      name: "broken",
      dataset: () => [{ prompt: 3 as unknown as string }],
      rubric: { a: () => 1 },
    });
    const environment = mix({ name: "some", parts: { bad: { environment: broken } } })();
    await expect(keys(environment)).rejects.toThrow("bad in some: Example 0 of the dataset");
  });
});

describe("a rollout of a mix", () => {
  it("is the rollout of its part, with the scores of other parts as null", async () => {
    const { rollouts } = await evaluate(both(), {
      model: policy("best"),
      examples: 3,
      rolloutsPerExample: 1,
      split: "eval",
    });
    const alone = await evaluate(lookup(), {
      model: policy("look"),
      examples: 1,
      rolloutsPerExample: 1,
      split: "test",
    });
    const [first, , last] = rollouts;
    expect(first).toMatchObject({
      environment: "both",
      part: "numbers",
      reward: 1.5,
      scores: { correct: 1, short: 1, quick: null },
    });
    expect(last).toMatchObject({
      part: "lookup",
      reward: 3,
      scores: { correct: 1, short: null, quick: 1 },
      prompt: alone.rollouts[0]!.prompt,
      completion: alone.rollouts[0]!.completion,
    });
  });

  it("offers the tools and turns of its part only", async () => {
    const offered: Record<string, unknown> = {};
    const model: Model = async ({ messages, tools }) => {
      offered[textOf(messages[0]!.content)] = tools?.map(({ name }) => name);
      return { message: { role: "assistant", content: "1" }, finish: "stop" };
    };
    await evaluate(both(), { model, examples: 3, rolloutsPerExample: 1, split: "eval" });
    expect(offered).toEqual({
      "Repeat the number. The first is 0.": undefined,
      "Look it up.": ["look"],
    });
  });

  it("draws the random numbers that the part draws alone", async () => {
    const dice = defineEnvironment({
      name: "dice",
      dataset: () => [{ prompt: "roll" }, { prompt: "roll", id: "named" }],
      setup: ({ random, example }) => ({ roll: random.int(1e9), id: example.id }),
      rubric: { roll: ({ state }) => state.roll },
    });
    const nested = mix({
      name: "outer",
      parts: {
        games: { environment: mix({ name: "inner", parts: { dice: { environment: dice } } }) },
      },
    });
    const states = async (environment: Environment) => {
      const found: unknown[] = [];
      for await (const { example, key } of examples(environment)) {
        const played = episode(environment, example, { key, seed: 7 });
        await played.start();
        found.push(played.state);
      }
      return found;
    };
    expect(await states(nested())).toEqual(await states(dice()));
  });

  it("is recorded with its part", async () => {
    for await (const { example } of examples(both(), { count: 1 })) {
      const played = await rollout(both(), example, { model: policy("best") });
      expect(parseRow(JSON.stringify(toRow(played)))).toMatchObject({ part: "numbers" });
    }
  });

  it("is rejected for an example of another environment", async () => {
    await expect(
      rollout(both() as Environment, { prompt: "1", id: "other/1" }, { model: policy("best") }),
    ).rejects.toThrow(
      'The example "other/1" does not belong to a part of both. Its id starts with the name of a part and a slash: numbers/…, lookup/….',
    );
  });
});

describe("mix", () => {
  it("summarizes each part", async () => {
    const { parts, reward } = await evaluate(both(), {
      model: policy("best"),
      examples: 6,
      rolloutsPerExample: 2,
      split: "eval",
    });
    expect(reward.mean).toBeCloseTo(2);
    expect(parts).toMatchObject({
      lookup: { counts: { scored: 4 }, reward: { mean: 3 }, scores: { quick: { mean: 1 } } },
      numbers: { counts: { scored: 8 }, reward: { mean: 1.5 } },
    });
    expect(Object.keys(parts!["numbers"]!.scores)).toEqual(["correct", "short"]);
  });

  it("states the largest budget of a sub-model of its parts", () => {
    const asking = (name: string, subModel: NonNullable<typeof numbers.definition.subModel>) =>
      defineEnvironment({ name, dataset: () => [], subModel, rubric: { one: () => 1 } });
    const few = { environment: asking("few", { maxCalls: 5, maxTokens: 900 }) };
    const many = { environment: asking("many", { maxCalls: 50 }) };
    const budgetOf = (parts: Parameters<typeof mix>[0]["parts"]) =>
      subModelBudget(mix({ name: "asking", parts })());
    expect(budgetOf({ few, numbers: { environment: numbers } })).toEqual({
      maxCalls: 5,
      maxTokens: 900,
    });
    expect(budgetOf({ few, many })).toEqual({ maxCalls: 50 });
    expect(budgetOf({ numbers: { environment: numbers } })).toBeUndefined();
  });

  it("has the policies of all parts, and best", () => {
    expect(policyNamesOf(both())).toEqual(["best", "silent"]);
  });

  it("passes the options of parts on", async () => {
    const fixed = mix({
      name: "fixed",
      parts: { low: { environment: numbers }, high: { environment: numbers({ start: 50 }) } },
    });
    expect(fixed().config).toEqual({
      weights: { low: 1, high: 1 },
      low: { start: 0 },
      high: { start: 50 },
    });
    const prompts: unknown[] = [];
    for await (const { example } of examples(fixed({ low: { start: 9 } }), { count: 2 }))
      prompts.push(example.prompt);
    expect(prompts).toEqual(["9", "50"]);
    expect(() => fixed({ low: { begin: 1 } } as never)).toThrow('Unrecognized key: "begin"');
    expect(() => fixed({ weights: { low: 0 } })).toThrow("Too small");
  });

  it("conforms", async () => {
    await checkEnvironment(both, { examples: 6 });
  });

  it.each([
    ["no parts", {}, "bad mixes no environments."],
    ["the weight 0", { a: { environment: numbers, weight: 0 } }, "has the weight 0."],
    ["a negative weight", { a: { environment: numbers, weight: -1 } }, "has the weight -1."],
    ["the weight NaN", { a: { environment: numbers, weight: NaN } }, "has the weight NaN."],
    ["a name with a slash", { "a/b": { environment: numbers } }, 'a part named "a/b".'],
    ["the name weights", { weights: { environment: numbers } }, "Choose another name"],
    [
      "a part that is not an environment",
      { a: { environment: {} } },
      "The part a of bad is not an environment.",
    ],
  ])("rejects %s", (_, parts, message) => {
    expect(() => mix({ name: "bad", parts: parts as never })).toThrow(message);
  });

  it("rejects parts without a common split", async () => {
    const other = defineEnvironment({
      name: "other",
      dataset: () => ({ dev: [{ prompt: "a" }] }),
      rubric: { a: () => 1 },
    });
    const environment = mix({
      name: "apart",
      parts: { lookup: { environment: lookup }, other: { environment: other } },
    })();
    await expect(splitsOf(environment)).rejects.toThrow(
      "The parts of apart have no split in common: lookup has train, test; other has dev.",
    );
  });
});

describe("a mix with seats", () => {
  const chess = defineEnvironment({
    name: "chess",
    dataset: () => [{ prompt: "e4" }],
    seats: {
      players: { white: { policy: "resign" }, black: { policy: "resign", trainable: false } },
      turn: () => "white",
      observe: ({ seat }) => `You are ${seat}.`,
    },
    respond: () => end(),
    rubric: { reply: ({ reply }) => reply.length },
    policies: { resign: () => "" },
  });
  const games = mix({
    name: "games",
    parts: {
      duel: { environment: duel },
      throws: { environment: throws },
      chess: { environment: chess },
      numbers: { environment: numbers },
    },
  });
  const size = { examples: 4, rolloutsPerExample: 1 };
  /** A model that remembers its requests, and replies "rock". */
  function recorder(id: string) {
    const read: string[] = [];
    const model: Model = async ({ messages }) => {
      read.push(JSON.stringify(messages));
      return { message: assistantMessage("rock"), finish: "stop" };
    };
    return { read, model: Object.assign(model, { id }) };
  }

  it("conforms", async () => {
    await checkEnvironment(
      mix({ name: "duels", parts: { a: { environment: duel }, b: { environment: duel } } }),
      {
        examples: 4,
      },
    );
  });

  it("is played by one model in the seats that each part gives it", async () => {
    const { rollouts } = await evaluate(games(), { ...size, model: recorder("one").model });
    const seats = rollouts.map(({ part, seat, otherSeats }) => [
      part,
      seat,
      Object.keys(otherSeats ?? {}),
    ]);
    expect(seats.toSorted()).toEqual([
      ["chess", "white", []],
      ["duel", "left", []],
      ["numbers", undefined, []],
      ["throws", "left", ["right"]],
    ]);
  });

  it("is played by the models of its seats; a part without these seats is played by the first model", async () => {
    const models = { right: recorder("r"), left: recorder("l"), white: recorder("w") };
    const model = { right: models.right.model, left: models.left.model, white: models.white.model };
    const { rollouts, seats } = await evaluate(games(), { ...size, model, rotateSeats: true });
    const sides = rollouts.map(({ part, seat, otherSeats }) => [
      part,
      seat,
      Object.keys(otherSeats ?? {}),
    ]);
    expect(sides.toSorted()).toEqual([
      ["chess", "white", []],
      ["duel", "right", ["left"]],
      ["numbers", undefined, []],
      ["throws", "right", ["left"]],
    ]);
    expect(Object.keys(seats!).toSorted()).toEqual(["left", "right", "white"]);
    expect(models.right.read.filter((text) => text.includes("Repeat the number"))).toHaveLength(1);
    expect(models.left.read.join("")).not.toContain("Repeat the number");
  });

  it("shows no seat what only another has seen", async () => {
    const [left, right] = [recorder("l"), recorder("r")];
    const model = { left: left.model, right: right.model, white: left.model };
    await evaluate(games(), { model, examples: 8, rolloutsPerExample: 2 });
    expect(left.read.join("")).toMatch(/L-\d+/);
    expect(left.read.join("")).not.toMatch(/R-\d+/);
    expect(right.read.join("")).toMatch(/R-\d+/);
    expect(right.read.join("")).not.toMatch(/L-\d+|You are white/);
  });

  it("plays a policy in the part that has it", async () => {
    const model = { left: policy("guess"), right: policy("chat") };
    const duels = mix({
      name: "duels",
      parts: { duel: { environment: duel }, chess: { environment: chess } },
    });
    const played = { ...model, white: policy("resign"), black: policy("best") };
    const { reward } = await evaluate(duels(), { ...size, model: played });
    expect(reward).toMatchObject({ count: 3, positive: 2 });
    await expect(
      evaluate(duels(), { ...size, model: { ...played, white: policy("guess") } }),
    ).rejects.toThrow('chess has no policy named "guess".');
  });

  it("rejects models of seats if a part has no model", async () => {
    const { model } = recorder("m");
    await expect(evaluate(games(), { model: { left: model, right: model } })).rejects.toThrow(
      "No model plays chess, a part of the mix: its seats are white, black.",
    );
    await expect(evaluate(games(), { model: { left: model, white: model } })).rejects.toThrow(
      "No model plays the seat right of throws",
    );
    await expect(
      evaluate(games(), { model: { left: model, middle: model } as never }),
    ).rejects.toThrow(
      'games has no seat named "middle". Its seats are: left, right, white, black.',
    );
  });
});

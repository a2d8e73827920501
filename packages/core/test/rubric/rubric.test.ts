import fc from "fast-check";
import { expect, test } from "vitest";

import { createMemo } from "../../src/episode/score-context.ts";
import { assistantMessage, userMessage } from "../../src/index.ts";
import { random } from "../../src/random.ts";
import {
  describeScores,
  type ScoreContext,
  type ScoreResult,
  type ScoringDefinition,
} from "../../src/rubric/rubric.ts";
import { scoreGroup } from "../../src/rubric/scoring.ts";

type AnyRubric = ScoringDefinition["rubric"];

function context(reply = "", state: unknown = {}): ScoreContext {
  return {
    config: {},
    seat: undefined,
    example: { prompt: "Hi." },
    state,
    prompt: [userMessage("Hi.")],
    completion: [assistantMessage(reply)],
    reply,
    turns: 1,
    turnRewards: [0],
    stopReason: "end",
    isTruncated: false,
    memo: createMemo(),
    random: random("score"),
    signal: new AbortController().signal,
  };
}

async function scoreOne(rubric: AnyRubric, reply = ""): Promise<ScoreResult | Error> {
  const [scored] = await scoreGroup({ rubric }, [context(reply)]);
  return scored!;
}

test("the reward is the sum of weight × score; a bare function has weight 1", async () => {
  const rubric: AnyRubric = {
    bare: () => 0.5,
    heavy: { weight: 2, score: async () => 0.25 },
    negative: { weight: -1, score: () => 0.125 },
    zero: { weight: 0, score: () => 1000 },
  };
  expect(await scoreOne(rubric)).toEqual({
    reward: 0.5 + 0.5 - 0.125,
    scores: { bare: 0.5, heavy: 0.25, negative: 0.125, zero: 1000 },
  });
});

test("metrics follow the scores and do not change the reward", async () => {
  const scoring: ScoringDefinition = {
    rubric: { right: () => 1 },
    metrics: {
      length: () => 1000,
      words: { description: "Words", score: () => null },
      rank: { group: (members) => members.map((_, index) => index) },
    },
  };
  const outcomes = await scoreGroup(scoring, [context(), context()]);
  expect(outcomes).toEqual([
    { reward: 1, scores: { right: 1, length: 1000, words: null, rank: 0 } },
    { reward: 1, scores: { right: 1, length: 1000, words: null, rank: 1 } },
  ]);
  expect(Object.keys((outcomes[0] as ScoreResult).scores)).toEqual([
    "right",
    "length",
    "words",
    "rank",
  ]);
});

test("a disabled score is null and its function does not run", async () => {
  const disabled = { enabled: () => false };
  const fail = (): never => {
    throw new Error("must not run");
  };
  const scoring: ScoringDefinition = {
    rubric: { right: () => 1, bonus: { ...disabled, weight: 5, score: fail } },
    metrics: { rank: { ...disabled, group: fail } },
  };
  expect(await scoreGroup(scoring, [context()])).toEqual([
    { reward: 1, scores: { right: 1, bonus: null, rank: null } },
  ]);
});

test("describeScores() returns the scores that a config enables, or all", () => {
  const scoring: ScoringDefinition = {
    rubric: {
      right: () => 1,
      bonus: {
        enabled: ({ config }) => (config as { readonly bonus: number }).bonus > 0,
        score: () => 1,
      },
    },
  };
  const namesWith = (config?: Readonly<Record<string, unknown>>) =>
    describeScores(scoring, config).map(({ name }) => name);
  expect(namesWith({ bonus: 0 })).toEqual(["right"]);
  expect(namesWith({ bonus: 1 })).toEqual(["right", "bonus"]);
  expect(namesWith()).toEqual(["right", "bonus"]);
});

test("an `enabled` that throws fails the rollout with the code score", async () => {
  const enabled = (): never => {
    throw new Error("no such option");
  };
  for (const entry of [
    { enabled, score: () => 1 },
    { enabled, group: () => [1] },
  ])
    expect(await scoreGroup({ rubric: { odd: entry } }, [context()])).toMatchObject([
      { code: "score", message: expect.stringContaining("no such option") },
    ]);
});

test("the reward is the weighted sum for any weights, values and order of completion", async () => {
  const entry = fc.record({
    weight: fc.integer({ min: -8, max: 8 }),
    value: fc.option(fc.integer({ min: -100, max: 100 })),
    ticks: fc.nat({ max: 5 }),
  });
  // In an object literal, this name sets the prototype.
  const name = fc.string().filter((name) => name !== "__proto__");
  await fc.assert(
    fc.asyncProperty(fc.dictionary(name, entry), async (entries) => {
      const rubric = Object.fromEntries(
        Object.entries(entries).map(([name, { weight, value, ticks }]) => [
          name,
          {
            weight,
            score: async () => {
              for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
              return value;
            },
          },
        ]),
      );
      const expected = Object.values(entries).reduce(
        (sum, { weight, value }) => sum + weight * (value ?? 0),
        0,
      );
      const scored = await scoreOne(rubric);
      expect(scored).toMatchObject({ reward: expected });
      expect(Object.keys((scored as ScoreResult).scores)).toEqual(Object.keys(entries));
    }),
  );
});

test("a score that does not apply is null and does not count in the reward", async () => {
  expect(await scoreOne({ right: () => 1, other: { weight: 5, score: () => null } })).toEqual({
    reward: 1,
    scores: { right: 1, other: null },
  });
});

test.for([
  [Number.NaN, "NaN"],
  [Infinity, "Infinity"],
  [-Infinity, "-Infinity"],
  [undefined, "undefined"],
  ["1", '"1"'],
  [10n, "of type bigint"],
  [Symbol("s"), "of type symbol"],
  [[1], "of type object"],
  [{ value: 1 }, "of type object"],
] as const)("rejects the value %s with the name of the score", async ([value, shown]) => {
  for (const rubric of [
    { odd: () => value },
    { odd: { group: () => [value] } },
  ] as unknown as AnyRubric[])
    expect(await scoreOne(rubric)).toMatchObject({
      name: "RolloutError",
      code: "score",
      message: `The score odd is ${shown}. A score is a finite number, or null if it does not apply.`,
    });
});

test("rejects weights that make the reward infinite", async () => {
  const huge = { weight: Number.MAX_VALUE, score: () => 10 };
  expect(await scoreOne({ huge })).toMatchObject({
    code: "score",
    message: expect.stringContaining("reward is Infinity"),
  });
  const broken = { weight: Number.NaN, score: () => 1 };
  expect(await scoreOne({ broken })).toMatchObject({
    code: "score",
    message: expect.stringContaining("reward is NaN"),
  });
});

test("a score that throws fails its own rollout only", async () => {
  const rubric: AnyRubric = {
    picky({ reply }) {
      if (reply === "bad") throw new Error("cannot read it");
      return 1;
    },
  };
  const outcomes = await scoreGroup({ rubric }, [context("good"), context("bad"), context("good")]);
  expect(outcomes).toMatchObject([
    { reward: 1 },
    { code: "score", message: "the score picky: cannot read it" },
    { reward: 1 },
  ]);
});

test("a group score receives the rollouts without a failed score, in order", async () => {
  const rubric: AnyRubric = {
    own({ reply }) {
      if (reply === "bad") throw new Error("no");
      return 0;
    },
    rank: {
      group: async (members) => members.map(({ reply }, place) => place * 10 + reply.length),
    },
  };
  const outcomes = await scoreGroup(
    { rubric },
    ["a", "bad", "ccc"].map((reply) => context(reply)),
  );
  expect(outcomes).toMatchObject([
    { scores: { own: 0, rank: 1 } },
    { code: "score" },
    { scores: { own: 0, rank: 13 } },
  ]);
});

test("a group score may return null for some rollouts", async () => {
  const rubric: AnyRubric = { rank: { group: () => [1, null] } };
  expect(await scoreGroup({ rubric }, [context(), context()])).toEqual([
    { reward: 1, scores: { rank: 1 } },
    { reward: 0, scores: { rank: null } },
  ]);
});

test.for([
  ["too few", (): unknown => [1], "The group score rank returned 1 values for 2 rollouts."],
  ["too many", (): unknown => [1, 2, 3], "The group score rank returned 3 values for 2 rollouts."],
  ["no list", (): unknown => 1, "The group score rank returned no list of values for 2 rollouts."],
  [
    "nothing",
    (): unknown => null,
    "The group score rank returned no list of values for 2 rollouts.",
  ],
  ["holes", (): unknown => Array(2), "The score rank is undefined. "],
] as const)("a group score that returns %s fails the whole group", async ([, group, message]) => {
  const rubric = { rank: { group } } as unknown as AnyRubric;
  const outcomes = await scoreGroup({ rubric }, [context(), context()]);
  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({ code: "score" });
    expect((outcome as Error).message).toContain(message);
  }
});

test("a group score is not called when every rollout has failed", async () => {
  let calls = 0;
  const rubric: AnyRubric = {
    own: () => Number.NaN,
    rank: {
      group() {
        calls += 1;
        return [];
      },
    },
  };
  await scoreGroup({ rubric }, [context(), context()]);
  await scoreGroup({ rubric }, []);
  expect(calls).toBe(0);
});

test("scores and group scores keep the order of the definition", async () => {
  const rubric: AnyRubric = { b: { group: () => [1] }, a: () => 2, c: { group: () => [3] } };
  expect(Object.keys(((await scoreOne(rubric)) as ScoreResult).scores)).toEqual(["b", "a", "c"]);
});

test("scores share memoized values within a rollout and with group scores", async () => {
  let computed = 0;
  const costly = async () => {
    const result = (computed += 1);
    await Promise.resolve();
    return result;
  };
  const rubric: AnyRubric = {
    first: ({ memo }) => memo("costly", costly),
    second: ({ memo }) => memo("costly", costly),
    third: { group: (members) => Promise.all(members.map(({ memo }) => memo("costly", costly))) },
  };
  const outcomes = await scoreGroup({ rubric }, [context(), context()]);
  expect(computed).toBe(2);
  expect(outcomes).toMatchObject([
    { scores: { first: 1, second: 1, third: 1 } },
    { scores: { first: 2, second: 2, third: 2 } },
  ]);
});

test("a memo stores undefined and accepts any key", () => {
  const memo = createMemo();
  let computed = 0;
  for (const key of ["__proto__", "constructor", "", "__proto__"])
    expect(memo(key, () => void (computed += 1))).toBeUndefined();
  expect(computed).toBe(3);
});

test("describeScores() returns weights, ranges and descriptions", () => {
  expect(
    describeScores({
      rubric: {
        plain: () => 1,
        full: { weight: 0.5, description: "How well", range: [0, 1], score: () => 1 },
        group: { weight: 0, group: () => [] },
      },
      metrics: { length: () => 1, best: { description: "The best", group: () => [] } },
    }),
  ).toEqual([
    { name: "plain", weight: 1, isGroup: false },
    { name: "full", weight: 0.5, isGroup: false, description: "How well", range: [0, 1] },
    { name: "group", weight: 0, isGroup: true },
    { name: "length", weight: 0, isGroup: false },
    { name: "best", weight: 0, isGroup: true, description: "The best" },
  ]);
});

test("a score may have the name of an object's method", async () => {
  const rubric = { constructor: () => 1, toString: () => 2, hasOwnProperty: () => null };
  expect(await scoreOne(rubric as AnyRubric)).toEqual({
    reward: 3,
    scores: { constructor: 1, toString: 2, hasOwnProperty: null },
  });
});

test("counts true as 1 and false as 0, also in a group score", async () => {
  const rubric = { yes: () => true, no: () => false, each: { group: () => [true] } };
  expect(await scoreGroup({ rubric }, [context()])).toEqual([
    { reward: 2, scores: { yes: 1, no: 0, each: 1 } },
  ]);
});

test("records the feedback of a score by its name, and weighs its score", async () => {
  const rubric = {
    clear: { weight: 2, score: () => ({ score: 0.5, feedback: "Too long." }) },
    polite: () => ({ score: true }),
    unjudged: () => ({ score: null, feedback: "No reply." }),
  };
  expect(await scoreGroup({ rubric }, [context()])).toEqual([
    {
      reward: 2,
      scores: { clear: 0.5, polite: 1, unjudged: null },
      feedback: { clear: "Too long.", unjudged: "No reply." },
    },
  ]);
});

test("records the feedback of a group score for each of its rollouts", async () => {
  const rubric = { rank: { group: () => [{ score: 1, feedback: "First." }, 0] } };
  expect(await scoreGroup({ rubric }, [context(), context()])).toEqual([
    { reward: 1, scores: { rank: 1 }, feedback: { rank: "First." } },
    { reward: 0, scores: { rank: 0 } },
  ]);
});

test("fails a rollout whose score has the feedback 5", async () => {
  const rubric = { odd: () => ({ score: 1, feedback: 5 }) } as unknown as AnyRubric;
  const [outcome] = await scoreGroup({ rubric }, [context()]);
  expect(outcome).toMatchObject({
    code: "score",
    message: "The feedback of the score odd is 5, not a text.",
  });
});

test.for([
  { range: [0, 1], value: 5 },
  { range: [0, 1], value: -0.001 },
  { range: [0, Infinity], value: -1 },
] as const)("fails a rollout with the score $value outside the range $range", async (entry) => {
  const message = `The score odd is ${entry.value}, outside its range [${entry.range.join(", ")}]. Correct the score, or its range.`;
  for (const odd of [
    { range: entry.range, score: () => entry.value },
    { range: entry.range, group: () => [entry.value] },
  ])
    expect(await scoreGroup({ rubric: { odd } }, [context()])).toMatchObject([
      { code: "score", message },
    ]);
});

test("accepts the bounds of a range, with rounding errors", async () => {
  const rubric = {
    sum: { range: [0, 0.3], score: () => 0.1 + 0.2 },
    low: { range: [0, 1], score: () => 0 },
    none: { range: [0, 1], score: () => null },
  } as const;
  expect(await scoreGroup({ rubric }, [context()])).toMatchObject([
    { scores: { low: 0, none: null } },
  ]);
});

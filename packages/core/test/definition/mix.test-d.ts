import { expectTypeOf, it } from "vitest";
import * as z from "zod";

import {
  defineEnvironment,
  evaluate,
  type InferExample,
  type InferScoreName,
  type InferSeat,
  mix,
  policy,
} from "../../src/index.ts";
import { duel } from "../fixtures/duel.ts";

const sums = defineEnvironment({
  name: "sums",
  config: z.object({ digits: z.int().default(2) }),
  dataset: () => [{ prompt: "1 + 1", answer: 2 }],
  rubric: { correct: ({ reply, example }) => Number(reply) === example.answer },
});

const words = defineEnvironment({
  name: "words",
  dataset: () => [{ prompt: "a word", word: "tree", id: "tree" }],
  rubric: { correct: () => 1, rhymes: () => 1 },
});

const both = mix({
  name: "both",
  parts: { sums: { environment: sums, weight: 0.7 }, words: { environment: words() } },
});

it("infers the seats of a mix", () => {
  const games = mix({
    name: "games",
    parts: { duel: { environment: duel }, sums: { environment: sums } },
  });
  expectTypeOf<InferSeat<typeof games>>().toEqualTypeOf<"left" | "right">();
  expectTypeOf<InferSeat<typeof both>>().toEqualTypeOf<never>();
  const model = policy("best");
  void evaluate(games(), { model: { left: model } });
  // @ts-expect-error -- no part has the seat
  void evaluate(games(), { model: { middle: model } });
});

it("infers the examples, scores and options of a mix", async () => {
  expectTypeOf<InferScoreName<typeof both>>().toEqualTypeOf<"correct" | "rhymes">();
  expectTypeOf<InferExample<typeof both>["id"]>().toEqualTypeOf<
    `sums/${string}` | `words/${string}`
  >();
  both({ weights: { sums: 2 }, sums: { digits: 3 } });
  // @ts-expect-error -- the option belongs to sums
  both({ digits: 3 });
  // @ts-expect-error -- there is no such part
  both({ weights: { sum: 1 } });
  // @ts-expect-error -- an option of the wrong type
  both({ sums: { digits: "3" } });
  const { rollouts, scores } = await evaluate(both(), { model: policy("best") });
  expectTypeOf(scores).toHaveProperty("rhymes");
  for (const rollout of rollouts)
    if (rollout.status === "scored")
      expectTypeOf(rollout.scores.rhymes).toEqualTypeOf<number | null>();
  const all = mix({
    name: "all",
    parts: { both: { environment: both }, sums: { environment: sums } },
  });
  all({ both: { sums: { digits: 1 } } });
  expectTypeOf<InferExample<typeof all>["id"]>().toEqualTypeOf<
    `both/${string}` | `sums/${string}`
  >();
});

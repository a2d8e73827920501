// Ready-made scores compare a reply with a reference; a slow score runs in a thread.
import { defineEnvironment, evaluate, jsonParser } from "@envs/core";
import { scriptedModel } from "@envs/core/testing";
import { editSimilarity, exact, jsonMatch, matches, matchesSchema, numeric } from "@envs/scores";
import { inThread } from "@envs/scores/threads";
import * as z from "zod";

import type { sumOfPrimes } from "./sum-of-primes.ts";

// #region scores
const person = z.object({ name: z.string(), born: z.int() });
const parser = jsonParser(person);

const extract = defineEnvironment({
  name: "extract-people",
  dataset: () => [
    {
      prompt: 'Who wrote the first program? Answer as {"name": …, "born": …}.',
      name: "Ada Lovelace",
      born: 1815,
    },
  ],
  rubric: {
    name: ({ reply, example }) =>
      exact(parser.parse(reply)?.name ?? "", example.name, { ignore: ["case", "accents"] }),
    born: ({ reply, example }) =>
      numeric(parser.parse(reply)?.born ?? "", example.born, { tolerance: 1 }),
  },
  metrics: {
    fields: ({ reply, example: { name, born } }) =>
      jsonMatch(parser.parse(reply), { name, born }, { mode: "share" }),
    valid: ({ reply }) => matchesSchema(reply, person),
    spelling: ({ reply, example }) => editSimilarity(parser.parse(reply)?.name ?? "", example.name),
    apology: ({ reply }) => matches(reply, "(?i)\\bsorry\\b"),
  },
});
// #endregion

const model = scriptedModel('{"name": "Ada Lovelace", "born": 1816}');
const { scores } = await evaluate(extract(), { model, rolloutsPerExample: 1 });
console.log(
  Object.entries(scores)
    .map(([name, { mean }]) => `${name} ${mean?.toFixed(2)}`)
    .join(", "),
);

// #region thread
const sumInThread = inThread<typeof sumOfPrimes>(
  new URL("./sum-of-primes.ts", import.meta.url),
  "sumOfPrimes",
  { timeout: 30_000 },
);

const primes = defineEnvironment({
  name: "primes",
  dataset: () => [10, 100].map((limit) => ({ prompt: `Sum of the primes below ${limit}?`, limit })),
  rubric: {
    correct: async ({ reply, example, signal }) =>
      numeric(reply, await sumInThread(example.limit, { signal })),
  },
});
// #endregion

const { reward } = await evaluate(primes(), { model: scriptedModel("17"), rolloutsPerExample: 1 });
console.log(`correct ${reward.mean}`);

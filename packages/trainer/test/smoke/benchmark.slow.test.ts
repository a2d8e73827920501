// The benchmark of docs/experiments/smoke.md: 50 rewards with a fault, and 50 without. Plays those that were held out, and a sixth of
// those that smoke() was developed with; ENVS_ALL_REWARDS=1 plays all.
import { expect, test } from "vitest";

import { smoke } from "../../src/smoke/smoke.ts";
import { broken, type Case, heldOutBroken } from "./rewards/broken.ts";
import { heldOutSound, sound } from "./rewards/sound.ts";

/** A thirtieth of the default. Faults are found without training. */
const budget = {
  trainingExamples: 400,
  evaluationExamples: 128,
  warmUpTokens: 2000,
  learningTokens: 4000,
};

const someOf = (cases: readonly Case[]): readonly Case[] =>
  process.env["ENVS_ALL_REWARDS"] === "1" ? cases : cases.filter((_, index) => index % 6 === 0);

/** The verdict on each case, and how often it was given. */
async function verdictsOn(title: string, cases: readonly Case[]) {
  const verdicts = new Map<string, string>();
  for (const [name, make] of cases) {
    const { verdict } = await smoke(make()(), { threads: 1, budget });
    verdicts.set(name, verdict.answer);
  }
  const counts = Map.groupBy(verdicts.values(), (answer) => answer);
  console.log(title, Object.fromEntries([...counts].map(([key, { length }]) => [key, length])));
  return verdicts;
}

const namesOf = (verdicts: ReadonlyMap<string, string>, isRefused: boolean): readonly string[] =>
  [...verdicts].flatMap(([name, answer]) =>
    (answer === "not learnable") === isRefused ? [name] : [],
  );

test("smoke() refuses broken rewards", async () => {
  expect([broken.length, heldOutBroken.length]).toEqual([33, 17]);
  expect(namesOf(await verdictsOn("broken", someOf(broken)), false)).toEqual([]);
  expect(namesOf(await verdictsOn("broken, held out", heldOutBroken), false)).toEqual([
    "a leak: a table in the system prompt",
  ]);
});

/** The cases that smoke() refuses before it trains. Training only finds more where no wrong reply earned less. */
async function refusedAtOnce(cases: readonly Case[]): Promise<readonly string[]> {
  const refused: string[] = [];
  for (const [name, make] of cases) {
    const training = new AbortController();
    const report = smoke(make()(), {
      threads: 1,
      budget,
      signal: training.signal,
      onProgress: ({ stage }) => {
        if (stage === "imitating") training.abort();
      },
    });
    const answer = await report.then(
      ({ verdict }) => verdict.answer,
      () => (training.signal.aborted ? "training began" : "failed"),
    );
    if (["failed", "not learnable"].includes(answer)) refused.push(name);
  }
  return refused;
}

test("smoke() refuses no sound reward", async () => {
  expect([sound.length, heldOutSound.length]).toEqual([33, 17]);
  const isTrained = (_: Case, index: number): boolean => index % 6 === 0;
  const others = heldOutSound.filter((each, index) => !isTrained(each, index));
  expect(await refusedAtOnce([...someOf(sound), ...others])).toEqual([]);
  const trained = heldOutSound.filter(isTrained);
  expect(namesOf(await verdictsOn("sound, held out", trained), true)).toEqual([]);
});

import { join } from "node:path";

import { sameMath } from "@envs/scores/maths";
import { installMathVerify } from "@envs/scores/maths/install";

import { sameExactly } from "../../packages/scores/src/maths/exact/same-exactly.ts";
import { mathVerify } from "../../packages/scores/src/maths/math-verify/math-verify.ts";
import { readPairs, unboxed } from "../../packages/scores/test/maths/support/pairs.ts";
import { pythonVerdicts } from "../../packages/scores/test/maths/support/python.ts";
import { virtualEnvironment } from "../../tooling/src/virtual-environment.ts";
import { type Figure, seconds } from "./figure.ts";

const root = join(import.meta.dirname, "../..");

/** Math-Verify needs seconds for these, or ends at its limit: they would be all that is measured. */
const slowKinds = new Set(["huge", "long"]);

const exactRepetitions = 1000;

/** Compares `sameMath` with Math-Verify in CPython on the pairs of `packages/scores/test/maths/pairs.jsonl`. */
export async function maths(): Promise<readonly Figure[]> {
  const python = virtualEnvironment({
    requirements: join(root, "bench/python/maths.txt"),
    folder: join(root, "node_modules/.cache/bench-maths"),
    isComplete: true,
  });
  process.env["ENVS_PYTHON"] = python;
  process.env["XDG_CACHE_HOME"] = join(root, "node_modules/.cache");
  await installMathVerify();

  const all = readPairs();
  const pairs = all.filter(({ kind }) => !slowKinds.has(kind)).map(unboxed);
  const exact = pairs.filter(({ answer, reference }) => sameExactly(answer, reference));
  const exactTime = await seconds(async () => {
    for (let repetition = 0; repetition < exactRepetitions; repetition += 1)
      for (const { answer, reference } of exact) await sameMath(answer, reference);
  });
  const start = await seconds(async () => void (await mathVerify(pairs[0]!, {})));
  const ours: boolean[] = [];
  const ourTime = await seconds(async () => {
    for (const pair of pairs) ours.push(await mathVerify(pair, {}));
  });
  const theirs = await pythonVerdicts(pairs);
  const theirTime = theirs.reduce((sum, verdict) => sum + verdict.seconds, 0);
  const agreeing = theirs.filter(({ same }, index) => same === ours[index]);
  const verdicts = new Map(pairs.map((pair, index) => [pair, theirs[index]!.same]));
  return [
    {
      name: "exactly equal pairs, in TypeScript",
      value: (exactRepetitions * exact.length) / exactTime,
      unit: "pairs/s",
    },
    {
      name: `all ${pairs.length} pairs, by Math-Verify in Pyodide`,
      value: pairs.length / ourTime,
      unit: "pairs/s",
    },
    { name: "the same in CPython", value: pairs.length / theirTime, unit: "pairs/s" },
    { name: "start of the thread, with the first pair", value: start, unit: "s" },
    {
      name: "same verdict as in CPython",
      value: (100 * agreeing.length) / pairs.length,
      unit: "%",
      aim: { at: "least", value: 99 },
    },
    {
      name: "exactly equal pairs that CPython rejects",
      value: exact.filter((pair) => verdicts.get(pair) !== true).length,
      unit: "pairs",
      aim: { at: "most", value: 0 },
    },
  ];
}

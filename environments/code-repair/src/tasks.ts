import { type Random, random as randomOf } from "@envs/core";
import { callFunction } from "@envs/sandbox";

import { limits, provider } from "./calls.ts";
import { listPrograms } from "./list-programs.ts";
import type { Program } from "./program.ts";
import { textPrograms } from "./text-programs.ts";

/** A call and the expected value, as JSON. */
export interface Test {
  /** The arguments. */
  readonly input: string;
  readonly expected: string;
}

/** A program with a bug. */
export interface Task {
  readonly prompt: string;
  readonly name: string;
  readonly bug: string;
  readonly source: string;
  readonly solution: string;
  /** The prompt shows the first, which the program fails. The others are hidden. */
  readonly tests: readonly Test[];
}

const programs = [...listPrograms, ...textPrograms];
const candidates = 40;
const hidden = 16;
/** The number of hidden tests that a bug breaks, so that an answer for the visible test alone is wrong. */
const minBroken = 2;

export type Split = "train" | "eval";

/**
 * Different programs with different bugs, in turn. Their tests come from running both versions in a sandbox. No function is in both
 * splits.
 */
export async function* tasks(
  split: Split,
  { random: seed, count }: { readonly random: Random; readonly count: number },
): AsyncGenerator<Task> {
  const random = seed.for(split);
  const box = await provider.create({ limits });
  try {
    const seen = new Set<string>();
    for (let index = 0; seen.size < count; index += 1) {
      const program = programs[index % programs.length]!(random);
      const [bug, [from, to]] = random.pick(Object.entries(program.bugs));
      const source = program.source.replace(from, () => to);
      if (splitOf(source) !== split) continue;
      const inputs = Array.from({ length: candidates }, () => program.input(random));
      const isolated = (code: string): string =>
        `globalThis.${program.name} = (() => {\n${code}\nreturn ${program.name}; })();`;
      const valuesOf = (code: string) =>
        callFunction(box, { code: isolated(code), name: program.name }, inputs);
      const right = await valuesOf(program.source);
      const wrong = await valuesOf(source);
      const tests = inputs.map((input, at) => ({
        input: JSON.stringify(input),
        expected: right[at]!,
      }));
      const broken = tests.filter(({ expected }, at) => wrong[at] !== expected);
      const [visible] = broken;
      if (broken.length <= minBroken || visible === undefined) continue;
      const others = tests.filter((test) => !broken.includes(test));
      const rest = [...broken.slice(1, hidden / 2), ...others, ...broken.slice(hidden / 2)].slice(
        0,
        hidden,
      );
      const prompt = promptOf(program, source, visible, wrong[tests.indexOf(visible)]);
      if (seen.has(prompt)) continue;
      seen.add(prompt);
      yield {
        prompt,
        name: program.name,
        bug,
        source,
        solution: program.source,
        tests: [visible, ...rest],
      };
    }
  } finally {
    await box[Symbol.asyncDispose]();
  }
}

/** A function with a bug is in the same split under every seed. */
function splitOf(source: string): Split {
  return randomOf("split", source).pick(["train", "eval"]);
}

function promptOf(
  { name }: Program,
  source: string,
  { input, expected }: Test,
  actual: string | undefined,
): string {
  const call = `${name}(${input.slice(1, -1)})`;
  const result = actual === undefined ? "returns no value, or throws" : `returns ${actual}`;
  return `The function ${name} has a bug:

\`\`\`js
${source}
\`\`\`

This test fails: ${call} ${result}, and should return ${expected}.`;
}

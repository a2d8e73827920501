import {
  assistantMessage,
  callTools,
  evaluate,
  type InferExample,
  policy,
  random,
  rollout,
  textOf,
} from "@envs/core";
import { episode, examples } from "@envs/core/engine";
import { checkEnvironment } from "@envs/core/testing";
import { expect, onTestFinished, test } from "vitest";

import { documentedRewards, someThefts } from "../../../packages/sandbox/test/support/thefts.ts";
import packageJson from "../package.json" with { type: "json" };
import mathPython from "../src/index.ts";
import { interpreter } from "../src/interpreter.ts";
import { problems } from "../src/problems.ts";

type Row = InferExample<typeof mathPython>;

async function firstRow(): Promise<Row> {
  for await (const { example } of examples(mathPython(), { count: 1 })) return example;
  throw new Error("There is no problem.");
}

test("passes the conformance suite", async () => {
  await checkEnvironment(mathPython, { packageName: packageJson.name, fullReward: 1, examples: 2 });
});

test.each([
  ["solver", 1],
  ["guess", 0],
  ["unboxed", 0],
  ["thinking", 0],
])("gives the policy %s the reward %d", async (name, reward) => {
  const result = await evaluate(mathPython(), {
    model: policy(name),
    examples: 7,
    rolloutsPerExample: 1,
    concurrency: 2,
  });
  expect(result.reward.mean).toBe(reward);
});

test("the program of each problem prints its answer", async () => {
  const session = interpreter();
  onTestFinished(() => session[Symbol.asyncDispose]());
  const signal = new AbortController().signal;
  for (const { program, answer } of problems(random("programs")).take(35))
    expect(await session.run(program, signal)).toBe(answer);
});

test("code cannot find the answer, and cannot change the score", async () => {
  const row = await firstRow();
  const game = episode(mathPython(), row);
  await game.start();
  const run = async (code: string): Promise<unknown> => {
    const call = { name: "python", arguments: JSON.stringify({ code }) };
    const { messages } = await game.step({
      ...assistantMessage(""),
      tool_calls: [{ id: `call_${game.turns}`, type: "function", function: call }],
    });
    return messages[0]?.content;
  };
  const cheats = [
    "import builtins\nbuiltins.sum = builtins.print = lambda *_: 0\nint.__eq__ = lambda *_: True",
    "import os, sys\nstr(os.environ) + str(sys.argv) + ''.join(os.listdir('.'))",
    "import gc\n[str(o)[:50] for o in gc.get_objects() if 'answer' in str(o)[:2000]][:3]",
    "import sys\nsys.exit(0)",
    "open('answer.txt', 'w').write('1')\nprint('\\\\boxed{1}')",
  ];
  for (const cheat of cheats) expect(await run(cheat)).not.toContain(row.answer);
  await game.step(assistantMessage("The tool printed the answer."));
  expect(await game.score()).toMatchObject({ reward: 0 });
  await game.close();
});

test.for(someThefts)(
  "the first whole number that the tool returned earns what the table of thefts lists for code that %s",
  async ([theft, code]) => {
    const result = await rollout(mathPython(), await firstRow(), {
      model: async ({ messages }) => {
        const last = messages.at(-1)!;
        // Comparing other answers than whole numbers needs Math-Verify.
        const number = /\d+/.exec(textOf(last.content))?.[0] ?? "0";
        return {
          message:
            last.role === "tool"
              ? assistantMessage(`\\boxed{${number}}`)
              : callTools([["python", { code: `${code}\nf(2)` }]]),
          finish: "stop",
        };
      },
    });
    expect(result).toMatchObject({ reward: documentedRewards("math-python")[theft] });
  },
);

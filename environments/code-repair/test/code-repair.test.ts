import {
  assistantMessage,
  callTools,
  evaluate,
  type InferExample,
  type Model,
  policy,
  random,
  rollout,
} from "@envs/core";
import { episode, examples } from "@envs/core/engine";
import { callFunction, type Sandbox } from "@envs/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import {
  documentedRewards,
  javascriptThefts,
} from "../../../packages/sandbox/test/support/thefts.ts";
import { limits, provider } from "../src/calls.ts";
import { grade, readCode, writeCode } from "../src/grade.ts";
import codeRepair from "../src/index.ts";
import { listPrograms } from "../src/list-programs.ts";
import { type Split, type Task, tasks } from "../src/tasks.ts";
import { textPrograms } from "../src/text-programs.ts";

type Row = InferExample<typeof codeRepair>;

const never = new AbortController().signal;
let box: Sandbox;
let row: Row;

beforeAll(async () => {
  box = await provider.create({ limits });
  const environment = codeRepair();
  for await (const { example } of examples(environment, { split: "eval", count: 1 })) row = example;
});

afterAll(() => box[Symbol.asyncDispose]());

test.each([
  ["oracle", 1, 1, 1],
  ["unchanged", 0, 0, undefined],
  ["hardcode", 0, 1, undefined],
])("gives the policy %s the reward %d", async (name, reward, visible, hidden) => {
  const result = await evaluate(codeRepair(), {
    model: policy(name),
    examples: 3,
    rolloutsPerExample: 1,
  });
  expect([result.reward.mean, result.scores.visible.mean]).toEqual([reward, visible]);
  if (hidden === undefined) expect(result.scores.hidden.max).toBeLessThan(1);
});

test.each([
  [
    "the repaired module",
    (task: Row) => `${task.solution}\nmodule.exports = { ${task.name} };\n`,
    1,
  ],
  ["a module that is not repaired", (task: Row) => `${task.source}\n`, 0],
  ["no module", () => null, 0],
])("scores %s that a program leaves in its folder", async (_, left, reward) => {
  const model: Model = async ({ messages, workspace }) => {
    expect(Object.keys(await workspace!())).toEqual(["module.js"]);
    const message =
      messages.length > 2
        ? assistantMessage("I have repaired module.js.")
        : callTools([["workspace", { files: { "module.js": left(row) } }]]);
    return { message, finish: "stop" };
  };
  expect(await rollout(codeRepair(), row, { model })).toMatchObject({ status: "scored", reward });
});

test("every bug of every program changes what it returns, and every program is right by itself", async () => {
  const source = random("bugs");
  const silent: string[] = [];
  for (const draw of [...listPrograms, ...textPrograms]) {
    const { name, source: code, bugs, input } = draw(source);
    const inputs = Array.from({ length: 60 }, () => input(source));
    const isolated = (body: string): string =>
      `globalThis.${name} = (() => {${body}\nreturn ${name}; })();`;
    const right = await callFunction(box, { code: isolated(code), name }, inputs);
    expect(right, name).not.toContain(undefined);
    for (const [bug, [from, to]] of Object.entries(bugs)) {
      expect(code.split(from).length, `${name} ${bug}`).toBeGreaterThan(1);
      const broken = isolated(code.replace(from, () => to));
      const wrong = await callFunction(box, { code: broken, name }, inputs);
      if (wrong.every((value, index) => value === right[index])) silent.push(`${name} ${bug}`);
    }
  }
  expect(silent).toEqual([]);
});

test("the programs of a seed are different, the same each time, and in one of the splits", async () => {
  const take = (count: number, split: Split = "eval"): Promise<Task[]> =>
    Array.fromAsync(tasks(split, { random: random("seed"), count }));
  const rows = await take(30);
  const sources = new Set(rows.map(({ source }) => source));
  const train = await take(30, "train");
  expect(train.filter(({ source }) => sources.has(source))).toEqual([]);
  expect(new Set(rows.map(({ prompt }) => prompt)).size).toBe(30);
  expect(new Set(rows.map(({ bug }) => bug)).size).toBeGreaterThan(8);
  expect(await take(5)).toEqual(rows.slice(0, 5));
  for (const { prompt, tests } of rows) {
    expect(tests.length).toBeGreaterThan(10);
    expect(new Set(tests.map(({ expected }) => expected)).size, prompt).toBeGreaterThan(1);
  }
});

test("the tool runs code beside the broken module, and describes what fails", async () => {
  const game = episode(codeRepair(), row);
  await game.start();
  const run = async (code: string): Promise<unknown> => {
    const call = { name: "run", arguments: JSON.stringify({ code }) };
    const { messages } = await game.step({
      ...assistantMessage(""),
      tool_calls: [{ id: `call_${game.turns}`, type: "function", function: call }],
    });
    return messages[0]?.content;
  };
  expect(await run(`typeof require("./module.js").${row.name}`)).toBe('"function"');
  expect(await run("console.log(1 + 1)")).toBe("2");
  expect(await run("for (;;);")).toContain("exceeded its limit of 1000 ms");
  expect(await run("throw new Error('no')")).toContain("Error: no");
  await game.close();
});

describe("a reply", () => {
  test.each(Object.entries(javascriptThefts))("that %s gets nothing", async (name, theft) => {
    const code = theft(row.name, row.tests[0]!.expected);
    const verdict = await grade(row, readCode(writeCode(code)), never);
    expect(verdict.hidden).toBeLessThan(1);
    expect(documentedRewards("code-repair")[name]).toBe(0);
  });

  test.each([
    ["a fence without a language", (code: string) => `\`\`\`\n${code}\n\`\`\``, 1],
    ["an export", (code) => writeCode(`export ${code.slice(code.indexOf("function"))}`), 1],
    [
      "an arrow function",
      (code, name) =>
        writeCode(
          `${code.replace(`function ${name}`, "const it = function ")}; const ${name} = (...input) => it(...input);`,
        ),
      1,
    ],
    ["no fence", (code) => code, 0],
    ["the code only in the thinking", (code) => `<think>${writeCode(code)}</think> Done.`, 0],
    ["another block after the code", (code) => `${writeCode(code)} ${writeCode("1 + 1")}`, 0],
  ] as readonly (readonly [string, (code: string, name: string) => string, number])[])(
    "with %s is read as such",
    async (_, write, hidden) => {
      expect((await grade(row, readCode(write(row.solution, row.name)), never)).hidden).toBe(
        hidden,
      );
    },
  );

  test("is graded in a sandbox that the model's runs did not change", async () => {
    const game = episode(codeRepair(), row);
    await game.start();
    const code = `Array.prototype.push = () => 0; String.prototype.split = () => []; Math.max = () => 0; globalThis.${row.name} = () => 1;`;
    const call = { name: "run", arguments: JSON.stringify({ code }) };
    await game.step({
      ...assistantMessage(""),
      tool_calls: [{ id: "call", type: "function", function: call }],
    });
    await game.step(assistantMessage(writeCode(row.solution)));
    expect(await game.score()).toMatchObject({ reward: 1 });
    await game.close();
  });
});

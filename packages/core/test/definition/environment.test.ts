import { toRow } from "@envs/records";
import { expect, test } from "vitest";
import * as z from "zod";

import { reservedScoreNames } from "../../src/definition/check-definition.ts";
import { defineEnvironment, evaluate } from "../../src/index.ts";
import { scriptedModel } from "../../src/testing/index.ts";

const base = {
  name: "colors",
  dataset: () => [{ prompt: "Hi." }],
  rubric: { one: () => 1 },
};

test.for(["end", "turns", "tokens", "context"])("rejects a stop condition named %s", (name) => {
  const define = () => defineEnvironment({ ...base, episode: { stop: { [name]: () => true } } });
  expect(define).toThrow(
    `colors has a stop condition named ${name}, which is a stop reason of the engine. Choose another name.`,
  );
});

test("rejects a metric with the name of a score", () => {
  const define = () => defineEnvironment({ ...base, metrics: { one: () => 2 } });
  expect(define).toThrow("colors has a score and a metric named one. Rename one of them.");
});

test.for(reservedScoreNames)("rejects a score or metric named %s", (name) => {
  const message = `colors has a score or metric named "${name}", which is a field of every record. Choose another name.`;
  expect(() => defineEnvironment({ ...base, rubric: { [name]: () => 1 } })).toThrow(message);
  expect(() => defineEnvironment({ ...base, metrics: { [name]: () => 1 } })).toThrow(message);
});

test("reserves the name of each field of a row", async () => {
  const { rollouts } = await evaluate(defineEnvironment(base)(), {
    model: scriptedModel("Hi."),
    rolloutsPerExample: 1,
  });
  const { one, ...fields } = toRow(rollouts[0]!);
  expect(one).toBe(1);
  expect(Object.keys(fields).filter((name) => !reservedScoreNames.includes(name))).toEqual([]);
});

test.for([
  [{ respnd: () => "" }, "respnd. Write respond instead."],
  [{ rubrics: {} }, "rubrics. Write rubric instead."],
  [{ maxTurns: 3 }, "maxTurns. Write episode.maxTurns instead."],
  [{ choices: () => [] }, "choices. Write game.choices instead."],
  [
    { seats: { white: {}, black: {} } },
    "seats.white. Its keys are seats.players, seats.turn, seats.observe.",
  ],
  [
    { seats: { players: { white: { polisy: "best" } } } },
    "seats.players.white.polisy. Write seats.players.white.policy instead.",
  ],
  [{ game: { choice: () => [] } }, "game.choice. Write game.choices instead."],
  [{ game: { respond: () => "" } }, "game.respond. Write respond instead."],
  [
    { rubric: { one: { wieght: 2, score: () => 1 } } },
    "rubric.one.wieght. Write rubric.one.weight instead.",
  ],
  [{ media: ["image"] }, "media.0. Its keys are media.kinds, media.maxBytes."],
] as const)("rejects a definition with an unknown key: %j", ([change, message]) => {
  expect(() => defineEnvironment({ ...base, ...change } as never)).toThrow(
    `colors has the unknown key ${message}`,
  );
});

test("names every unknown key of a definition", () => {
  const change = { respnd: () => "", rubrics: {}, game: { choice: () => [] } };
  expect(() => defineEnvironment({ ...base, ...change } as never)).toThrow(
    [
      "colors has the unknown key respnd. Write respond instead.",
      "colors has the unknown key rubrics. Write rubric instead.",
      "colors has the unknown key game.choice. Write game.choices instead.",
    ].join("\n"),
  );
});

test.for(["dataset", "rubric"])("rejects a definition without %s", (key) => {
  const { [key as "rubric"]: _, ...rest } = base;
  expect(() => defineEnvironment(rest as never)).toThrow(
    `colors has no ${key}. Add it: name, dataset and rubric are required.`,
  );
});

test("accepts an unknown key whose value is undefined", () => {
  expect(() => defineEnvironment({ ...base, rspond: undefined } as never)).not.toThrow();
});

test("rejects an empty rubric", () => {
  expect(() => defineEnvironment({ ...base, rubric: {} })).toThrow(
    "The rubric of colors is empty, so every reward would be 0.",
  );
});

test.for([Number.NaN, Infinity])("rejects the weight %d", (weight) => {
  expect(() => defineEnvironment({ ...base, rubric: { one: { weight, score: () => 1 } } })).toThrow(
    `The score one of colors has the weight ${weight}. A weight is a finite number.`,
  );
});

test.for([
  [1, 0],
  [0, Number.NaN],
] as const)("rejects the range [%d, %d]", (range) => {
  expect(() => defineEnvironment({ ...base, rubric: { one: { range, score: () => 1 } } })).toThrow(
    `The score one of colors has the range [${range.join(", ")}]. A range is the smallest value, then the largest.`,
  );
});

test("rejects a workspace without a function", () => {
  const workspace = { files: () => ({}) };
  expect(() => defineEnvironment({ ...base, workspace: workspace as never })).toThrow(
    "The workspace of colors has no function save.",
  );
});

test("rejects a workspace without a turn to save it", async () => {
  const workspace = { files: () => ({}), save: () => {} };
  const environment = defineEnvironment({ ...base, workspace, episode: { maxTurns: 1 } })();
  await expect(evaluate(environment, { model: scriptedModel("red") })).rejects.toThrow(
    "maxTurns of colors is 1, but it has a workspace, and saving it takes a turn before the reply.",
  );
});

test("rejects a tool with the name of the one that saves the workspace", async () => {
  const workspace = { files: () => ({}), save: () => {} };
  const tools = { workspace: { description: "", input: z.object({}), execute: () => "" } };
  const { rollouts } = await evaluate(defineEnvironment({ ...base, workspace, tools })(), {
    model: scriptedModel("Hi."),
    rolloutsPerExample: 1,
  });
  expect(rollouts[0]).toMatchObject({
    error: { message: expect.stringContaining("colors has a tool named workspace") },
  });
});

test("rejects a config with an option that has no default", () => {
  const config = z.object({ path: z.string(), size: z.int().default(3) });
  expect(() => defineEnvironment({ ...base, config })).toThrow(
    'The config of colors is not valid without options. Give each option a default: z.string().default("…").\n  path: ',
  );
});

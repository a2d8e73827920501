import { expect, test } from "vitest";

import { assistantMessage, defineEnvironment, evaluate, policy, rollout } from "../../src/index.ts";

const environment = defineEnvironment({
  name: "echo",
  dataset: () => Array.from({ length: 40 }, (_, index) => ({ prompt: `${index}` })),
  respond: () => "and now?",
  episode: { maxTurns: 3 },
  rubric: { zero: () => 0 },
  policies: {
    number: ({ parameter }) => String(parameter),
    turn: ({ turns, messages }) => `${turns} ${messages.length}`,
    dice: ({ random }) => `${random.int(1e9)}`,
    message: () => assistantMessage("hi"),
    "two-words": () => "ok",
  },
});

const ask = async (name: string, rolloutIndex = 0, seed = 0): Promise<string[]> => {
  const example = { prompt: "Hi.", id: "a" };
  const { trajectory } = await rollout(environment(), example, {
    model: policy(name),
    rolloutIndex,
    seed,
  });
  return trajectory.map(({ message }) => message.content);
};

test.for([
  ["number(0.3)", "0.3"],
  ["number(-2)", "-2"],
  ["number(10)", "10"],
  ["number", "undefined"],
  ["two-words", "ok"],
  ["message", "hi"],
] as const)("%s replies %s", async ([name, expected]) => {
  expect((await ask(name))[0]).toBe(expected);
});

test("a policy receives the messages and the reply", async () => {
  expect(await ask("turn")).toEqual(["0 1", "1 3", "2 5"]);
});

test("a policy draws different numbers per turn, rollout and seed, the same in every run", async () => {
  const all = [...(await ask("dice")), ...(await ask("dice", 1)), ...(await ask("dice", 0, 1))];
  expect(new Set(all).size).toBe(9);
  expect(await ask("dice")).toEqual(all.slice(0, 3));
});

test.for(["", "a b", "number(", "number(x)", "number()", "number(1)(2)", "number(1e3)", "$"])(
  "rejects the policy name %j",
  (name) => {
    expect(() => policy(name)).toThrow("is not the name of a policy");
  },
);

test.for(["missing", "constructor", "__proto__"])(
  "rejects the unknown policy %s before the first rollout, with the existing names",
  async (name) => {
    await expect(evaluate(environment(), { model: policy(name) })).rejects.toThrow(
      `echo has no policy named "${name}". It has: number, turn, dice, message, two-words.`,
    );
  },
);

test("rejects a request outside of an episode", async () => {
  const response = policy("dice")({ messages: [], signal: new AbortController().signal });
  await expect(response).rejects.toThrow("policy:dice requires an episode of its environment.");
});

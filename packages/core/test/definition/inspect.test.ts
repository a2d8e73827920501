import { expect, test } from "vitest";
import * as z from "zod";

import { maxTurnsOf, promptOf } from "../../src/definition/inspect.ts";
import { assistant, defineEnvironment, type Message, user } from "../../src/index.ts";

const base = {
  name: "opening",
  config: z.object({ tone: z.string().default("kind"), turns: z.number().default(2) }),
  dataset: () => [{ prompt: "Hi." }],
  rubric: { zero: () => 0 },
};
const shots = [user("1 + 1?"), assistant("2")];
const system = (content: string): Message => ({ role: "system", content });

test("puts the system prompt first, then the few-shot messages, then the prompt", () => {
  const environment = defineEnvironment({
    ...base,
    systemPrompt: "Be brief.",
    episode: { fewShot: shots },
  });
  expect(promptOf(environment(), { prompt: "2 + 2?" })).toEqual([
    system("Be brief."),
    ...shots,
    user("2 + 2?"),
  ]);
});

test("derives the system prompt and few-shot messages from the config", () => {
  const environment = defineEnvironment({
    ...base,
    systemPrompt: ({ config }) => `Be ${config.tone}.`,
    episode: { fewShot: ({ config }) => [user(config.tone), assistant("yes")] },
  });
  expect(promptOf(environment({ tone: "curt" }), { prompt: "Hi." })).toEqual([
    system("Be curt."),
    user("curt"),
    assistant("yes"),
    user("Hi."),
  ]);
});

test("replaces the environment's system prompt with an example's system message", () => {
  const environment = defineEnvironment({
    ...base,
    systemPrompt: "Be brief.",
    episode: { fewShot: shots },
  });
  expect(promptOf(environment(), { prompt: [system("Be rude."), user("Hi.")] })).toEqual([
    system("Be rude."),
    ...shots,
    user("Hi."),
  ]);
});

test("does not change the messages of an example", () => {
  const prompt = [user("Hi.")];
  promptOf(defineEnvironment(base)(), { prompt }).push(assistant("Hello."));
  expect(prompt).toEqual([user("Hi.")]);
});

test("maxTurns is 1 by default and 16 with respond or tools", () => {
  expect(maxTurnsOf(defineEnvironment(base)())).toBe(1);
  expect(maxTurnsOf(defineEnvironment({ ...base, respond: () => "and?" })())).toBe(16);
});

test("derives maxTurns from the config", () => {
  const environment = defineEnvironment({
    ...base,
    episode: { maxTurns: ({ config }) => config.turns },
  });
  expect(maxTurnsOf(environment({ turns: 7 }))).toBe(7);
});

test.for([0, -1, 1.5, Number.NaN, Infinity])("rejects maxTurns %d", (maxTurns) => {
  expect(() => maxTurnsOf(defineEnvironment({ ...base, episode: { maxTurns } })())).toThrow(
    `maxTurns of opening is ${maxTurns}. It must be a whole number of at least 1.`,
  );
});

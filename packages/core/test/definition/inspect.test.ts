import { expect, test } from "vitest";
import * as z from "zod";

import { maxTurnsOf, promptOf } from "../../src/definition/inspect.ts";
import { assistantMessage, defineEnvironment, type Message, userMessage } from "../../src/index.ts";

const base = {
  name: "opening",
  config: z.object({ tone: z.string().default("kind"), turns: z.number().default(2) }),
  dataset: () => [{ prompt: "Hi." }],
  rubric: { zero: () => 0 },
};
const shots = [userMessage("1 + 1?"), assistantMessage("2")];
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
    userMessage("2 + 2?"),
  ]);
});

test("derives the system prompt and few-shot messages from the config", () => {
  const environment = defineEnvironment({
    ...base,
    systemPrompt: ({ config }) => `Be ${config.tone}.`,
    episode: { fewShot: ({ config }) => [userMessage(config.tone), assistantMessage("yes")] },
  });
  expect(promptOf(environment({ tone: "curt" }), { prompt: "Hi." })).toEqual([
    system("Be curt."),
    userMessage("curt"),
    assistantMessage("yes"),
    userMessage("Hi."),
  ]);
});

test("replaces the environment's system prompt with an example's system message", () => {
  const environment = defineEnvironment({
    ...base,
    systemPrompt: "Be brief.",
    episode: { fewShot: shots },
  });
  expect(promptOf(environment(), { prompt: [system("Be rude."), userMessage("Hi.")] })).toEqual([
    system("Be rude."),
    ...shots,
    userMessage("Hi."),
  ]);
});

test("does not change the messages of an example", () => {
  const prompt = [userMessage("Hi.")];
  promptOf(defineEnvironment(base)(), { prompt }).push(assistantMessage("Hello."));
  expect(prompt).toEqual([userMessage("Hi.")]);
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

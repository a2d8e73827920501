import { expect, test } from "vitest";
import * as z from "zod";

import { assistant, defineEnvironment, type Message, user } from "../src/index.ts";
import { maxTurnsOf, openingOf } from "../src/inspect.ts";

const base = {
  name: "opening",
  config: z.object({ tone: z.string().default("kind"), turns: z.number().default(2) }),
  dataset: () => [{ prompt: "Hi." }],
  rubric: { zero: () => 0 },
};
const shots = [user("1 + 1?"), assistant("2")];
const system = (content: string): Message => ({ role: "system", content });

test("the system prompt comes first, then the few-shot messages, then the prompt", () => {
  const environment = defineEnvironment({ ...base, systemPrompt: "Be brief.", fewShot: shots });
  expect(openingOf(environment(), { prompt: "2 + 2?" })).toEqual([
    system("Be brief."),
    ...shots,
    user("2 + 2?"),
  ]);
});

test("system prompt and few-shot messages may follow from the config", () => {
  const environment = defineEnvironment({
    ...base,
    systemPrompt: ({ config }) => `Be ${config.tone}.`,
    fewShot: ({ config }) => [user(config.tone), assistant("yes")],
  });
  expect(openingOf(environment({ tone: "curt" }), { prompt: "Hi." })).toEqual([
    system("Be curt."),
    user("curt"),
    assistant("yes"),
    user("Hi."),
  ]);
});

test("an example's own system message takes the place of the environment's, and still comes first", () => {
  const environment = defineEnvironment({ ...base, systemPrompt: "Be brief.", fewShot: shots });
  expect(openingOf(environment(), { prompt: [system("Be rude."), user("Hi.")] })).toEqual([
    system("Be rude."),
    ...shots,
    user("Hi."),
  ]);
});

test("an example's messages are not changed by an episode", () => {
  const prompt = [user("Hi.")];
  openingOf(defineEnvironment(base)(), { prompt }).push(assistant("Hello."));
  expect(prompt).toEqual([user("Hi.")]);
});

test("one turn by default, sixteen with respond or tools", () => {
  expect(maxTurnsOf(defineEnvironment(base)())).toBe(1);
  expect(maxTurnsOf(defineEnvironment({ ...base, respond: () => "and?" })())).toBe(16);
});

test("maxTurns may follow from the config", () => {
  const environment = defineEnvironment({ ...base, maxTurns: ({ config }) => config.turns });
  expect(maxTurnsOf(environment({ turns: 7 }))).toBe(7);
});

test.for([0, -1, 1.5, Number.NaN, Infinity])("maxTurns cannot be %d", (maxTurns) => {
  expect(() => maxTurnsOf(defineEnvironment({ ...base, maxTurns })())).toThrow(
    `maxTurns of opening is ${maxTurns}. It must be a whole number of at least 1.`,
  );
});

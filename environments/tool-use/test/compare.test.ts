import { expect, test } from "vitest";

import { areSame, countMatches } from "../src/compare.ts";
import { callsByTurn, writeCalls } from "../src/conversation.ts";

const train = (from: string, to: string, day = "Friday") => ({
  name: "find_train",
  arguments: { from, to, day },
});
const event = (more: object) => ({
  name: "create_event",
  arguments: { title: "Dentist", day: "Monday", start: "09:00", ...more },
});
const [there, back] = [train("Oslo", "Lyon"), train("Lyon", "Oslo")];

test.each([
  ["the same calls in another order", [back, there], [there, back], true],
  ["no calls where none are right", [], [], true],
  ["a call where none is right", [there], [], false],
  ["a missing call", [there], [there, back], false],
  ["one call too many", [there, there], [there], false],
  ["the same call twice instead of two calls", [there, there], [there, back], false],
  ["a swapped argument", [back], [there], false],
  ["another tool", [{ ...there, name: "get_weather" }], [there], false],
  ["an unknown tool", [{ ...there, name: "fly" }], [there], false],
  ["case and final punctuation of a text", [event({ title: "dentist." })], [event({})], true],
  ["a default that is written out", [event({ minutes: 60 })], [event({})], true],
  ["a value that is not the default", [event({ minutes: 45 })], [event({})], false],
  ["an argument that the tool does not have", [event({ place: "here" })], [event({})], false],
  ["a number as text", [event({ minutes: "60" })], [event({})], false],
] as const)("compares %s", (_case, called, expected, isSame) => {
  expect(areSame(called, expected)).toBe(isSame);
});

test("matches each call to at most one expected call", () => {
  expect(countMatches([there, back, there], [there, there, there])).toBe(2);
});

test("does not match arguments that are not JSON", () => {
  const message = writeCalls([{ name: "list_events", arguments: { day: "Monday" } }]);
  const [call] = message.tool_calls!;
  const broken = { ...call!, function: { ...call!.function, arguments: '{"day":' } };
  const [calls] = callsByTurn([{ ...message, tool_calls: [broken] }]);
  expect(areSame(calls!, [{ name: "list_events", arguments: { day: "Monday" } }])).toBe(false);
});

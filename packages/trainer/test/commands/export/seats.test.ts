import { stripVTControlCharacters } from "node:util";

import { evaluate, policy } from "@envs/core";
import kuhnPoker from "@envs/kuhn-poker";
import { expect, test } from "vitest";

import { rolloutLines } from "../../../../cli/src/viewer/rollout.ts";
import { samples } from "../../../src/commands/export/formats/samples.ts";
import { sft } from "../../../src/commands/export/formats/sft.ts";

const { rollouts } = await evaluate(kuhnPoker({ examples: 6 }), {
  model: { player0: policy("honest"), player1: policy("careless") },
  rolloutsPerExample: 1,
});
const source = { rollouts, clauses: [], tools: undefined, model: "policies" };

test("shows the conversation of each seat that a model has played", () => {
  const layout = { columns: 80, isWhole: true, position: "1 of 6", folder: "." };
  const text = stripVTControlCharacters(rolloutLines(rollouts[0]!, layout).join("\n"));
  expect(text).toContain("seat player0");
  const [own, other] = text.split(/^seat player1$/mu);
  expect(own).toContain("You are player0 and hold");
  expect(own).not.toContain("You are player1");
  expect(other).toContain("You are player1 and hold");
});

test("exports each seat with its own reward", () => {
  const chats = (seats: boolean): readonly string[] =>
    sft(source, { isBare: false, seats }).files[0]!.text.trim().split("\n");
  const isSecond = (chat: string): boolean => chat.includes("You are player1 and hold");
  expect(chats(false).some(isSecond)).toBe(false);
  const both = Map.groupBy(chats(true), isSecond);
  expect(both.get(false)).toEqual(chats(false));
  const rewards = both.get(true)!.map((chat) => (JSON.parse(chat) as { reward: number }).reward);
  const own = rollouts.map(({ otherSeats }) => otherSeats!["player1"]!.reward);
  expect(own).toEqual(expect.arrayContaining(rewards));
  expect(() => samples(source, { seats: true })).toThrow("rollouts has token ids");
});

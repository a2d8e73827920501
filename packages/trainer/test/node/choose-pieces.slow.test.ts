import { assistantMessage, type Message, random, userMessage } from "@envs/core";
import { expect, test } from "vitest";

import { choosePieces, describeChoice } from "../../src/node/choose-pieces.ts";
import { sftPhase } from "../../src/train/plan.ts";

const phase = sftPhase.parse({
  kind: "sft",
  data: { file: "chats" },
  epochs: 16,
  optimizer: { learningRate: 3e-3 },
});
const model = { vocabulary: 96, width: 32, layers: 2, heads: 4, hidden: 128, context: 64 };
const options = { model, phase, seed: 1, threads: 1 };

function conversations(count: number, write: (index: number) => [string, string]): Message[][] {
  return Array.from({ length: count }, (_, index) => {
    const [question, answer] = write(index);
    return [userMessage(question), assistantMessage(answer)];
  });
}

test("sums of digits are learned from words, since the tokens of lines span several digits", async () => {
  const stream = random("sums");
  const sums = conversations(2000, () => {
    const [a, b] = [stream.int(100), stream.int(100)];
    return [`${a} + ${b} =`, `${a + b}`];
  });
  const choice = await choosePieces(sums, options);
  expect(choice.pieces).toBe("words");
  expect(choice.losses!.words).toBeLessThan(choice.losses!.lines);
  expect(describeChoice(choice)).toMatch(
    /^tokens of words: 1\.\d{3} nats per character of held-out replies, with lines \d\.\d{3}$/u,
  );
});

test("few conversations are not compared", async () => {
  const choice = await choosePieces(
    conversations(8, () => ["Hi.", "Hello."]),
    options,
  );
  expect(choice).toEqual({ pieces: "lines" });
  expect(describeChoice(choice)).toContain("too few conversations");
});

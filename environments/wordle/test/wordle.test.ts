import { assistantMessage, ConfigError, evaluate, policy } from "@envs/core";
import { episode } from "@envs/core/engine";
import { checkEnvironment } from "@envs/core/testing";
import { expect, test } from "vitest";

import packageJson from "../package.json" with { type: "json" };
import wordle from "../src/index.ts";

const row = { prompt: "Make your first guess.", secret: "crane" };

async function play(config: Parameters<typeof wordle>[0], ...words: string[]) {
  const played = episode(wordle(config), row);
  await played.start();
  for (const word of words) await played.step(assistantMessage(`<guess>${word}</guess>`));
  return { played, ...(await played.score()) };
}

test("passes the conformance suite", async () => {
  await expect(
    checkEnvironment(wordle, { packageName: packageJson.name, examples: 8 }),
  ).resolves.toBeUndefined();
});

test("answers a guess with its marks and the guesses that are left", async () => {
  const { played } = await play({}, "Slate");
  expect(played.messages.at(-1)?.content).toBe("S L A T E\nX X G X G\n5 guesses are left.");
});

test("gives the full reward if the first guess is the word", async () => {
  const { reward, scores, played } = await play({}, "crane");
  expect(scores).toEqual({ found: 1, speed: 1, progress: 1, illegal: 0, guesses: 1 });
  expect(reward).toBeCloseTo(1.4, 12);
  expect(played.stopReason).toBe("end");
});

test("names the word after the last guess", async () => {
  const { played, scores } = await play({ tries: 2 }, "slate", "brave");
  expect(played.messages.at(-1)?.content).toBe("B R A V E\nX G G X G\nThe word was crane.");
  expect(scores).toEqual({ found: 0, speed: 0, progress: 0.6, illegal: 0, guesses: null });
});

test.each([
  ["no word of the list", "aeiou", "aeiou is not in the list of words."],
  ["too short", "cat", "cat has 3 letters, not 5."],
  ["several words", "crane slate", "A guess is one word with letters from A to Z only."],
  ["empty", "", "A guess is one word with letters from A to Z only."],
])("rejects a guess that is %s without using up a try", async (_, word, problem) => {
  const { played, scores } = await play({}, word, "crane");
  expect(played.messages[3]?.content).toBe(`${problem} Guess again.`);
  expect(scores).toMatchObject({ found: 1, speed: 1, illegal: 0.5 });
});

test("ends as truncated when tries and slips are used up", async () => {
  const { played } = await play({ tries: 1, slips: 1 }, "aeiou", "aeiou");
  expect(played.stopReason).toBe("turns");
});

test("rejects guesses in hard mode that ignore what was revealed", async () => {
  const { played } = await play({ hard: true }, "slate", "abide");
  expect(played.messages.at(-1)?.content).toBe("Letter 3 must be A. Guess again.");
});

test("draws a letter in its place differently from one elsewhere and one not in the word", async () => {
  const { played } = await play({ tries: 2 }, "ocean");
  const board = await played.board();
  expect(board?.label).toBe("Guess 2 of 2");
  expect(board?.rows[0]?.map(({ text }) => text)).toEqual(["o", "C?", "E?", "A?", "N?"]);
  expect(board?.rows[1]?.map(({ text }) => text)).toEqual(["", "", "", "", ""]);
  const { played: second } = await play({}, "slate");
  const [cells] = (await second.board())!.rows;
  expect(cells?.map(({ text }) => text)).toEqual(["s", "l", "A", "t", "E"]);
  expect(cells?.map(({ isHighlighted }) => isHighlighted ?? false)).toEqual([
    false,
    false,
    true,
    false,
    true,
  ]);
});

test.each([
  ["solver", 0.97, 1.25, 1.4],
  ["consistent", 0.95, 1.2, 1.4],
  ["random", 0, 0, 0.15],
  ["repeating", 0, 0, 0.1],
  ["listing", 0, -0.1, -0.1],
  ["several-tags", 0, 0, 0.15],
  ["outside", 0, -0.1, 0],
])("policy:%s gets the reward in the README", async (name, found, low, high) => {
  const { scores, reward } = await evaluate(wordle(), {
    model: policy(name),
    examples: 60,
    rolloutsPerExample: 1,
  });
  expect(scores.found.mean).toBeGreaterThanOrEqual(found);
  expect(reward.mean).toBeGreaterThanOrEqual(low - 1e-9);
  expect(reward.mean).toBeLessThanOrEqual(high + 1e-9);
});

test("no word is hidden in both splits", async () => {
  const wordsOf = async (split: string) => {
    const { rollouts } = await evaluate(wordle({ letters: 4 }), {
      model: policy("repeating"),
      rolloutsPerExample: 1,
      examples: 1000,
      split,
    });
    return rollouts.map(({ example }) => example.secret);
  };
  const [train, eval_] = [await wordsOf("train"), await wordsOf("eval")];
  expect(train.length).toBeGreaterThan(3 * eval_.length);
  expect(eval_.filter((word) => train.includes(word))).toEqual([]);
});

test.each([[{ letters: 3 }], [{ tries: 0 }], [{ lives: 6 }]])("rejects the config %j", (config) => {
  expect(() => wordle(config as never)).toThrow(ConfigError);
});

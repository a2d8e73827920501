import { assistantMessage, evaluate, imagePart, policy, random, textOf } from "@envs/core";
import { episode, examples, mediaParts } from "@envs/core/engine";
import { checkEnvironment } from "@envs/core/testing";
import { decode } from "fast-png";
import { expect, test } from "vitest";

import packageJson from "../package.json" with { type: "json" };
import { createCode, readWord, shareRight } from "../src/code.ts";
import { drawSquares } from "../src/draw.ts";
import colorWords from "../src/index.ts";
import { type ColorName, palette } from "../src/palette.ts";

/** Reads the colours of an image's squares from its pixels. */
function colorsIn(url: string, size: number): readonly ColorName[] {
  const { width, data } = decode(Buffer.from(url.split(",")[1]!, "base64"));
  const gap = Math.ceil(size / 4);
  const count = (width - gap) / (size + gap);
  return Array.from({ length: count }, (_, index) => {
    const x = gap + index * (size + gap) + Math.floor(size / 2);
    const at = ((gap + Math.floor(size / 2)) * width + x) * 3;
    return palette.find(({ rgb }) => rgb.every((value, byte) => data[at + byte] === value))!.name;
  });
}

async function firstOf(environment: ReturnType<typeof colorWords>) {
  const [first] = await Array.fromAsync(examples(environment, { count: 1 }));
  return first!.example;
}

test("passes the conformance suite", async () => {
  await expect(
    checkEnvironment(colorWords, { packageName: packageJson.name, examples: 4 }),
  ).resolves.toBeUndefined();
});

test("shows the squares of the word, a part in each turn", async () => {
  const environment = colorWords({ images: 3, squares: 2, size: 9 });
  const example = await firstOf(environment);
  const played = episode(environment, example);
  await played.start();
  for (let turn = 0; turn < 3; turn += 1) await played.step(assistantMessage("<word></word>"));
  const shown = played.messages.flatMap(({ content }) =>
    mediaParts(content).flatMap((part) =>
      part.type === "image_url" ? [colorsIn(part.image_url.url, 9)] : [],
    ),
  );
  expect(shown).toHaveLength(3);
  expect(shown.flat()).toEqual(example.colors);
  const letters = new Map(example.legend.map(({ color, letter }) => [color, letter]));
  expect(
    shown
      .flat()
      .map((color) => letters.get(color))
      .join(""),
  ).toBe(example.word);
});

test("names the letter of each colour, but not the word", async () => {
  const { legend, prompt, word } = await firstOf(colorWords());
  const question = textOf(prompt[0]!.content);
  for (const { color, letter } of legend) expect(question).toContain(`${color} is ${letter}`);
  expect(question).toMatch(/Image 1 of 3:$/);
  expect(question).not.toContain(word);
});

test("draws the same image for the same squares", () => {
  const draw = () => imagePart(drawSquares(["red", "blue"], 64)).image_url.url;
  expect(draw()).toBe(draw());
  expect(draw().length).toBeLessThan(1000);
});

test("uses different colours and letters within a code", () => {
  const config = { images: 4, squares: 3, colors: 8, size: 8 };
  const { legend, word } = createCode(random("code"), config);
  expect(new Set(legend.map(({ letter }) => letter)).size).toBe(8);
  expect(new Set(legend.map(({ color }) => color)).size).toBe(8);
  expect(word).toHaveLength(12);
});

test.each([
  ["<word>ABC</word>", "ABC"],
  ["I see <word> a b\nc </word>", "ABC"],
  ["<word>X</word> or <word>abc</word>", "ABC"],
  ["ABC", ""],
  ["", ""],
])("reads the word of %j", (reply, word) => {
  expect(readWord(reply)).toBe(word);
});

test.each([
  ["ABCD", 1],
  ["AB", 0.5],
  ["XBCD", 0.75],
  ["BCDA", 0],
  ["ABCDABCD", 0.5],
  ["", 0],
])("gives %j the share %d of ABCD", (written, share) => {
  expect(shareRight(written, "ABCD")).toBe(share);
});

test.each([
  ["reader", 1.2, 1.2],
  ["forgetful", 0, 0.08],
  ["blind", 0, 0.06],
  ["one-letter", 0, 0.06],
  ["long-word", 0, 0.02],
  ["several-tags", 0, 0.06],
])("rewards the policy %s with %d to %d", async (name, least, most) => {
  const { reward } = await evaluate(colorWords({ size: 8 }), {
    model: policy(name),
    examples: 100,
    rolloutsPerExample: 1,
  });
  expect(reward.mean).toBeGreaterThanOrEqual(least - 1e-9);
  expect(reward.mean).toBeLessThanOrEqual(most + 1e-9);
});

import { bleu, editSimilarity, exact, includes, matches, rouge } from "@envs/scores";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

describe("exact", () => {
  it("ignores white space at both ends, and only that", () => {
    expect(exact(" Paris\n", "Paris")).toBe(1);
    expect(exact("paris", "Paris")).toBe(0);
    expect(exact("Paris.", "Paris")).toBe(0);
  });

  it("ignores what the option lists", () => {
    expect(exact("saõ  PAULO!", "São Paulo", { ignore: ["case", "accents", "punctuation"] })).toBe(
      1,
    );
    expect(exact("a  b", "a b", { ignore: ["space"] })).toBe(1);
  });

  it("accepts one of several references", () => {
    expect(exact("NYC", ["New York", "NYC"])).toBe(1);
    expect(exact("NYC", [])).toBe(0);
  });

  it("accepts both Unicode forms of a letter", () => {
    expect(exact("e\u0301", "\u00e9")).toBe(1);
  });
});

describe("includes", () => {
  it.each([
    ["The answer is 42.", "42", 1],
    ["The answer is 142.", "42", 0],
    ["142 and 42", "42", 1],
    ["New York City", "New York", 1],
    ["New Yorkers", "New York", 0],
    ["It costs $5", "$5", 1],
    ["日本語", "日本", 0],
    ["anything", "", 0],
  ])("gives %j for %j the score %d", (answer, reference, score) => {
    expect(includes(answer, reference)).toBe(score);
  });
});

describe("matches", () => {
  it("finds a pattern with flags", () => {
    expect(matches("The answer: YES", "(?i)\\byes\\b")).toBe(1);
    expect(matches("yesterday", "(?i)\\byes\\b")).toBe(0);
  });

  it("is linear where a backtracking engine never ends", () => {
    expect(matches(`${"a".repeat(50_000)}!`, "^(a+)+$")).toBe(0);
  });

  it("rejects an invalid pattern", () => {
    expect(() => matches("", "(")).toThrow("missing closing )");
  });
});

describe("editSimilarity", () => {
  it.each([
    ["kitten", "sitting", 4 / 7],
    ["", "", 1],
    ["", "abc", 0],
    ["same", "same", 1],
  ])("returns the known value for %j and %j", (answer, reference, similarity) => {
    expect(editSimilarity(answer, reference)).toBeCloseTo(similarity);
  });
});

/** Values of `sentence_bleu` of sacrebleu 2.6.0 and of rouge_score 0.1.2 without a stemmer. */
const known = [
  ["the cat is on the mat", "the cat sat on the mat", 0.379918, 0.833333, 0.6, 0.833333],
  [
    "Paris is the capital of France.",
    "Paris is the capital city of France.",
    0.515449,
    0.923077,
    0.727273,
    0.923077,
  ],
  ["a", "a", 1, 1, 0, 1],
  ["hello world", "goodbye moon", 0, 0, 0, 0],
  ["The quick brown fox", "The quick brown fox", 1, 1, 1, 1],
  [
    "It costs $1,200.50, doesn't it?",
    "It costs $1,200.50, does it not?",
    0.496264,
    0.75,
    0.571429,
    0.75,
  ],
  ["the the the the the the the", "the cat is on the mat", 0.078098, 0.307692, 0, 0.307692],
  [
    "State-of-the-art (2026) & more",
    "state of the art in 2026 and more",
    0.069163,
    0.857143,
    0.5,
    0.857143,
  ],
  ["", "something", 0, 0, 0, 0],
] as const;

describe("bleu and rouge", () => {
  it.each(known)("equal sacrebleu and rouge_score for %j", (answer, reference, ...expected) => {
    const variants = ["rouge-1", "rouge-2", "rouge-l"] as const;
    const values = [
      bleu(answer, reference),
      ...variants.map((variant) => rouge(answer, reference, variant)),
    ];
    values.forEach((value, index) => expect(value).toBeCloseTo(expected[index]!, 5));
  });

  it("compares with several references", () => {
    const references = ["the cat sat on the mat", "there is a cat on the mat"];
    expect(bleu("the cat is on the mat", references)).toBeCloseTo(0.397635, 5);
  });

  it("stay between 0 and 1", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), fc.string({ maxLength: 60 }), (a, b) => {
        for (const value of [bleu(a, b), rouge(a, b), editSimilarity(a, b)]) {
          expect(value).toBeGreaterThanOrEqual(0);
          expect(value).toBeLessThanOrEqual(1 + 1e-9);
        }
      }),
    );
  });
});

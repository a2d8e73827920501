import * as fc from "fast-check";
import { expect, test } from "vitest";

import { isAnswer, mentions, normaliseAnswer } from "../src/answer.ts";

test.each([
  ["são paulo", "São Paulo"],
  ["SAO PAULO.", "São Paulo"],
  ["  Hague ", "The Hague"],
  ["the Netherlands", "Netherlands"],
  ["Washington DC", "Washington, D.C."],
  ["St Louis", "St. Louis"],
  ["Guinea Bissau", "Guinea-Bissau"],
  ["N'Djamena", "N’Djaména"],
  ["1284000", "1,284,000"],
  ["1 284 000", "1,284,000"],
  ["1,284,000 km²", "1,284,000"],
  ["16,736 inhabitants", "16,736"],
  ["0.44 square kilometres", "0.44"],
  ["33", "+33"],
  ["td", ".td"],
  ["004", "004"],
])("isAnswer() accepts %j for %j", (reply, answer) => {
  expect(isAnswer(reply, [answer])).toBe(true);
});

test.each([
  ["", "Paris"],
  ["the", "Paris"],
  ["Paris or London", "Paris"],
  ["Par is", "Paris"],
  ["Paris, France", "Paris"],
  ["12", "1,2"],
  ["4", "004"],
  ["1284", "1,284,000"],
  ["44", "0.44"],
  ["1,284,000 or 1,284,001", "1,284,000"],
])("isAnswer() rejects %j for %j", (reply, answer) => {
  expect(isAnswer(reply, [answer])).toBe(false);
});

test("isAnswer() accepts any of the accepted answers", () => {
  const accepted = ["Springfield", "Springfield (Illinois, United States)"];
  expect(isAnswer("springfield", accepted)).toBe(true);
  expect(isAnswer("Springfield, Illinois, United States", accepted)).toBe(true);
  expect(isAnswer("Illinois", accepted)).toBe(false);
});

test("mentions() matches whole words", () => {
  expect(mentions("the largest city of Peru", "city of peru")).toBe(true);
  expect(mentions("the largest city of Peru", "Per")).toBe(false);
});

test("normaliseAnswer() is idempotent", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
      const once = normaliseAnswer(text);
      expect(normaliseAnswer(once)).toBe(once);
    }),
  );
});

test("isAnswer() ignores case and surrounding space", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme-ascii", minLength: 1 }), (text) => {
      fc.pre(normaliseAnswer(text) !== "");
      expect(isAnswer(`\n ${text.toUpperCase()} `, [text])).toBe(true);
    }),
  );
});

test("isAnswer() accepts a megabyte of digits and commas", () => {
  expect(isAnswer("1,".repeat(500_000), ["1"])).toBe(false);
  expect(isAnswer(`1${" ".repeat(1_000_000)}x`, ["1"])).toBe(false);
});

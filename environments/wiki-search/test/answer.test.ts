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
])("%s answers %s", (reply, answer) => {
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
])("%j does not answer %s", (reply, answer) => {
  expect(isAnswer(reply, [answer])).toBe(false);
});

test("any of the accepted answers will do", () => {
  const accepted = ["Springfield", "Springfield (Illinois, United States)"];
  expect(isAnswer("springfield", accepted)).toBe(true);
  expect(isAnswer("Springfield, Illinois, United States", accepted)).toBe(true);
  expect(isAnswer("Illinois", accepted)).toBe(false);
});

test("a mention is of whole words", () => {
  expect(mentions("the largest city of Peru", "city of peru")).toBe(true);
  expect(mentions("the largest city of Peru", "Per")).toBe(false);
});

test("normalising twice changes nothing more, whatever the text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
      const once = normaliseAnswer(text);
      expect(normaliseAnswer(once)).toBe(once);
    }),
  );
});

test("an answer in capitals or with spaces around it is still the answer", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme-ascii", minLength: 1 }), (text) => {
      fc.pre(normaliseAnswer(text) !== "");
      expect(isAnswer(`\n ${text.toUpperCase()} `, [text])).toBe(true);
    }),
  );
});

test("a megabyte of digits and commas is read without trouble", () => {
  expect(isAnswer("1,".repeat(500_000), ["1"])).toBe(false);
  expect(isAnswer(`1${" ".repeat(1_000_000)}x`, ["1"])).toBe(false);
});

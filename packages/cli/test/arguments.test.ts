import { expect, test } from "vitest";

import { didYouMean, number, positionals, refuseUnknown, wholeNumber } from "../src/arguments.ts";

const known = {
  environment: { type: "positional" },
  model: { type: "string", alias: "m" },
  minRandomMoveProb: { type: "string" },
  json: { type: "boolean" },
} as const;

test("an unknown option is refused with the nearest one", () => {
  expect(() => refuseUnknown(["tictactoe", "--modle", "x"], known)).toThrow(
    "There is no option --modle. Did you mean --model?",
  );
  expect(() => refuseUnknown(["--min-random-mov-prob", "1"], known)).toThrow(
    "Did you mean --min-random-move-prob?",
  );
  expect(() => refuseUnknown(["--zzzzzzzz"], known)).toThrow("There is no option --zzzzzzzz.");
});

test("known options pass in all their forms", () => {
  for (const args of [
    ["x", "--model", "a"],
    ["x", "-m", "a"],
    ["x", "--model=a=b"],
    ["x", "--min-random-move-prob", "-1"],
    ["x", "--minRandomMoveProb", "1"],
    ["x", "--json"],
    ["x", "--no-json"],
    ["x", "--", "--anything"],
  ])
    expect(() => refuseUnknown(args, known)).not.toThrow();
});

test("an option without its value is refused", () => {
  expect(() => refuseUnknown(["x", "--model"], known)).toThrow("--model needs a value.");
  expect(() => refuseUnknown(["x", "--model", "--json"], known)).toThrow("--model needs a value.");
});

test("numbers are read strictly", () => {
  expect(number("t", "0.5")).toBe(0.5);
  expect(number("t", undefined)).toBeUndefined();
  expect(() => number("temperature", "warm")).toThrow(
    '--temperature is "warm". It must be a number.',
  );
  expect(() => number("temperature", "")).toThrow("It must be a number.");
  expect(() => wholeNumber("examples", "2.5")).toThrow("It must be a whole number of at least 1.");
  expect(() => wholeNumber("examples", "0")).toThrow("It must be a whole number of at least 1.");
});

test("the environment is found before, between and after options", () => {
  expect(positionals(["tictactoe", "-m", "x"], known)).toEqual(["tictactoe"]);
  expect(positionals(["-m", "x", "tictactoe", "--json"], known)).toEqual(["tictactoe"]);
  expect(positionals(["--json", "tictactoe"], known)).toEqual(["tictactoe"]);
});

test("only what is near is suggested", () => {
  expect(didYouMean("evl", ["eval", "view"])).toBe(" Did you mean eval?");
  expect(didYouMean("publish", ["eval", "view"])).toBe("");
  expect(didYouMean("x", [])).toBe("");
});

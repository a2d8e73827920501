import { describe, expect, test } from "vitest";

import {
  checkOptions,
  choiceOption,
  didYouMean,
  integerOption,
  listOption,
  numberOption,
  parseAction,
  positionals,
  splitAtDoubleDash,
} from "../../src/terminal/arguments.ts";

const options = {
  environment: { type: "positional" },
  model: { type: "string", alias: "m" },
  minRandomMoveProb: { type: "string" },
  json: { type: "boolean" },
} as const;

describe("checkOptions", () => {
  test.for([
    [["tictactoe", "--modle", "x"], "Unknown option --modle. Did you mean --model?"],
    [["--min-random-mov-prob", "1"], "Did you mean --min-random-move-prob?"],
    [["--zzzzzzzz"], /^Unknown option --zzzzzzzz\.$/],
  ] as const)("rejects the unknown option in %j", ([args, message]) => {
    expect(() => checkOptions(args, options)).toThrow(message);
  });

  test.for([
    [["x", "--model", "a"]],
    [["x", "-m", "a"]],
    [["x", "--model=a=b"]],
    [["x", "--min-random-move-prob", "-1"]],
    [["x", "--minRandomMoveProb", "1"]],
    [["x", "--json"]],
    [["x", "--no-json"]],
    [["x", "--", "--anything"]],
  ])("accepts %j", ([args]) => {
    expect(() => checkOptions(args!, options)).not.toThrow();
  });

  test.for([[["x", "--model"]], [["x", "--model", "--json"]]])(
    "rejects an option without a value in %j",
    ([args]) => {
      expect(() => checkOptions(args!, options)).toThrow("--model needs a value.");
    },
  );
});

test("numberOption parses a number, and rejects text and empty text", () => {
  expect(numberOption("t", "0.5")).toBe(0.5);
  expect(numberOption("t", undefined)).toBeUndefined();
  expect(() => numberOption("temperature", "warm")).toThrow(
    '--temperature is "warm". It must be a number.',
  );
  expect(() => numberOption("temperature", "")).toThrow("It must be a number.");
});

test.for(["2.5", "0"])("integerOption rejects %j where 1 is the minimum", (text) => {
  expect(() => integerOption("examples", text)).toThrow("It must be a whole number of at least 1.");
});

test("choiceOption rejects a value that is not a choice", () => {
  expect(choiceOption("sort", "name", ["stars", "name"])).toBe("name");
  expect(choiceOption("sort", undefined, ["stars", "name"])).toBeUndefined();
  expect(() => choiceOption("sort", "size", ["stars", "name"])).toThrow(
    '--sort is "size". It must be one of: stars, name.',
  );
});

test("listOption splits at commas, and returns undefined without a value", () => {
  expect(listOption("game, maths,")).toEqual(["game", "maths"]);
  expect(listOption(" , ")).toBeUndefined();
  expect(listOption(undefined)).toBeUndefined();
});

test("parseAction returns the first action by default, and rejects an unknown one", () => {
  expect(parseAction("token", undefined, ["list", "create"])).toBe("list");
  expect(parseAction("token", "create", ["list", "create"])).toBe("create");
  expect(() => parseAction("token", "crate", ["list", "create"])).toThrow(
    'envs token has no action "crate". Did you mean create? Actions: list, create.',
  );
});

test("splitAtDoubleDash separates the arguments for another program", () => {
  expect(splitAtDoubleDash(["a", "--", "--b", "--"])).toEqual({
    own: ["a"],
    passthrough: ["--b", "--"],
  });
});

test.for([
  [["tictactoe", "-m", "x"]],
  [["-m", "x", "tictactoe", "--json"]],
  [["--json", "tictactoe"]],
])("positionals finds the environment in %j", ([args]) => {
  expect(positionals(args!, options)).toEqual(["tictactoe"]);
});

test("didYouMean suggests only similar candidates", () => {
  expect(didYouMean("evl", ["eval", "view"])).toBe(" Did you mean eval?");
  expect(didYouMean("publish", ["eval", "view"])).toBe("");
  expect(didYouMean("x", [])).toBe("");
});

test("rejects a whole number above 2^53", () => {
  expect(() => integerOption("examples", "1e99")).toThrow("It must be a whole number below 2^53.");
});

import { cases } from "@envs/tooling/cases";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { type Field, type FieldValue, parseClauses, parseWhere } from "../../src/runs/where.ts";

const fields = new Map<string, Field>([
  ["reward", { type: "number" }],
  ["win", { type: "number" }],
  ["format", { type: "number" }],
  ["truncated", { type: "number" }],
  ["status", { type: "text", values: ["scored", "failed"] }],
  ["stop", { type: "text" }],
  ["two words", { type: "number" }],
]);

type Row = Readonly<Record<string, FieldValue>>;

function matches(source: string, row: Row): boolean {
  return parseWhere(source, fields)((name) => row[name]);
}

function problem(source: string): string {
  try {
    parseWhere(source, fields);
  } catch (error) {
    return (error as Error).message;
  }
  return "none";
}

/** An expression, and what it must mean. */
interface Case {
  readonly source: string;
  readonly holds: (row: Row) => boolean;
}

const names = ["reward", "win", "format", "truncated"] as const;
const number = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
);
const space = fc.constantFrom("", " ", "\t", "\n  ");

const comparison: fc.Arbitrary<Case> = fc
  .record({
    name: fc.constantFrom(...names),
    sign: fc.constantFrom("<", "<=", ">", ">=", "==", "!="),
    value: number,
    isTurned: fc.boolean(),
    space,
  })
  .map(({ name, sign, value, isTurned, space: gap }) => ({
    source: (isTurned ? [value, sign, name] : [name, sign, value]).join(gap),
    holds: (row) => {
      const found = row[name];
      if (typeof found !== "number") return false;
      const [left, right] = isTurned ? [value, found] : [found, value];
      if (sign === "<") return left < right;
      if (sign === "<=") return left <= right;
      if (sign === ">") return left > right;
      if (sign === ">=") return left >= right;
      return sign === "==" ? left === right : left !== right;
    },
  }));

const expression = fc.letrec<{ whole: Case; part: Case }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    comparison,
    tie("whole").map(({ source, holds }) => ({ source: `(${source})`, holds })),
  ),
  whole: fc
    .array(fc.array(tie("part"), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 })
    .map((groups) => ({
      source: groups.map((group) => group.map(({ source }) => source).join(" && ")).join(" || "),
      holds: (row: Row) => groups.some((group) => group.every(({ holds }) => holds(row))),
    })),
})).whole;

const row: fc.Arbitrary<Row> = fc.record(
  Object.fromEntries(names.map((name) => [name, fc.oneof(number, fc.constant(null))])),
  { requiredKeys: [] },
);

describe("an expression", () => {
  test("means what it says: && binds tighter than ||, parentheses tighter than both", () => {
    fc.assert(
      fc.property(expression, row, ({ source, holds }, value) => {
        expect(matches(source, value)).toBe(holds(value));
      }),
    );
  });

  test("never matches through a value that is null, absent or not a number", () => {
    fc.assert(
      fc.property(comparison, fc.constantFrom(null, undefined, Number.NaN), ({ source }, value) => {
        expect(matches(source, Object.fromEntries(names.map((name) => [name, value])))).toBe(false);
      }),
    );
  });

  test("is read or refused as a wrong command line, whatever it holds", () => {
    const bits =
      "( ) && || == < = & ! ' \" ` win wni 0 - . status failed constructor __proto__ true é 🎲 \0";
    const bit = fc.constantFrom(" ", "\n", ...bits.split(" "));
    const anything = fc.oneof(
      fc.string({ unit: "binary", maxLength: 40 }),
      fc.array(bit, { maxLength: 12 }).map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(anything, (source) => {
        try {
          expect(typeof matches(source, {})).toBe("boolean");
        } catch (error) {
          expect(error).toMatchObject({ name: "UsageError" });
          expect((error as Error).message).toMatch(/^At character \d+: /);
        }
      }),
      { numRuns: cases(1000) },
    );
  });

  test("compares texts, with quotes or without", () => {
    expect(matches("status == failed", { status: "failed" })).toBe(true);
    expect(matches("'failed' != status", { status: "scored" })).toBe(true);
    expect(matches('stop == "max turns"', { stop: "max turns" })).toBe(true);
    expect(matches("stop == other", { stop: "end" })).toBe(false);
  });

  test("knows true and false", () => {
    expect(matches("truncated == true", { truncated: 1 })).toBe(true);
    expect(matches("truncated == false", { truncated: 1 })).toBe(false);
  });

  test("names what is no plain word in backticks", () => {
    expect(matches("`two words` > 1", { "two words": 2 })).toBe(true);
  });

  test.each([
    ["a long chain", "win>0&&win<9||".repeat(70_000) + "win>0"],
    ["many parentheses that do not close", "(".repeat(1_000_000)],
    ["many quotes", `"`.repeat(1_000_001)],
    ["digits without end", "1".repeat(1_000_000)],
    ["digits and dots without end", "1.".repeat(500_000)],
    ["blanks without end", `win${" ".repeat(1_000_000)}`],
    ["names without end", "a.".repeat(500_000)],
    ["signs without end", "<=".repeat(500_000)],
  ])("of a million characters is done at once: %s", (_, source) => {
    const outcome = problem(source);
    expect(outcome.length).toBeLessThan(500);
  });
});

describe("a wrong expression is explained", () => {
  test("at its place, with the name that may be meant", () => {
    expect(problem("win > 0 && fromat == 1")).toMatchInlineSnapshot(`
      "At character 12: There is no name fromat. Did you mean format? Names: reward, win, format, truncated, status, stop, two words.
        win > 0 && fromat == 1
                   ^"
    `);
  });

  test("at its place, in a window if it is long", () => {
    expect(problem(`${"win > 0 && ".repeat(20)}win >`)).toMatchInlineSnapshot(`
      "At character 226: The expression ends here; it needs something to compare win with.
        …& win > 0 && win > 0 && win > 0 && win >
                                                 ^"
    `);
  });

  test.each([
    ["", "The expression ends here; it needs a comparison such as reward > 0"],
    ["win", "needs one of < <= > >= == != after win"],
    ["win >", "needs something to compare win with"],
    ["win > 0 format == 1", "Here is format; it needs &&, || or the end"],
    ["win > 0 and format == 1", "Write &&."],
    ["(win > 0", "needs &&, || or )"],
    ["win = 1", "Write == to compare."],
    ["win > 0 & format > 0", "Write && for and."],
    ["!win", "Write != for not equal"],
    ["0 < win < 1", "Here is <"],
    ["win == 1)", "Here is )"],
    ["status == faild", "status is never faild. Did you mean failed?"],
    ["status > failed", "Texts have no order"],
    ["win == 'yes'", "win is a number, yes is a text"],
    ["stop == 3", "3 is a number, stop is a text"],
    ["status == 'failed", "has no end"],
    [`${"(".repeat(101)}win > 0${")".repeat(101)}`, "nest deeper than 100"],
    ["constructor > 0", "There is no name constructor"],
    ["win ; 1", '";" means nothing here'],
  ])("%s", (source, message) => {
    expect(problem(source)).toContain(message);
  });
});

describe("the parts of an expression", () => {
  const texts = (source: string) => parseClauses(source, fields).map(({ text }) => text);

  test("hold together exactly where the whole does", () => {
    fc.assert(
      fc.property(expression, row, ({ source, holds }, value) => {
        const clauses = parseClauses(source, fields);
        expect(clauses.every((clause) => clause.holds((name) => value[name]))).toBe(holds(value));
      }),
    );
  });

  test("are what && joins, as they were written", () => {
    expect(texts("win > 0 &&  format == 1")).toEqual(["win > 0", "format == 1"]);
    expect(texts("(win > 0 && format == 1) && reward > 1")).toEqual([
      "(win > 0 && format == 1)",
      "reward > 1",
    ]);
    expect(texts(" win > 0 && format == 1 || reward > 1 ")).toEqual([
      "win > 0 && format == 1 || reward > 1",
    ]);
  });
});

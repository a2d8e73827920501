import { ConfigError } from "@envs/core";
import { gradeCode, javascript, python } from "@envs/sandbox";
import { describe, expect, test } from "vitest";

import { documentedRewards, pythonThefts, right, same, someThefts } from "./support/thefts.ts";

const provider = python();
const limits = { ms: 2000, memory: 256 * 1024 ** 2 };

const tests = `
def check(candidate):
    assert candidate(2) == 4
    assert candidate(3) == 9
    assert candidate(None) == None
    assert abs(candidate(0.5) - 0.25) < 1e-9
    assert candidate([1, (2, 3)]) == [1, (2, 3)]
check(candidate)
`;

async function passes(code: string, program: string = tests): Promise<boolean> {
  const options = { code, name: "f", tests: program, limits };
  const { passed } = await gradeCode(provider, options);
  expect(passed).toHaveLength(1);
  return passed[0]!;
}

describe("gradeCode() gives nothing to code that", () => {
  test.for(Object.entries(pythonThefts))("%s", async ([, code]) => {
    expect(await passes(code)).toBe(false);
  });

  test("the table of thefts lists", () => {
    const nothing = Object.fromEntries(Object.keys(pythonThefts).map((theft) => [theft, 0]));
    expect(documentedRewards("gradeCode")).toMatchObject(nothing);
  });

  test("left files for the next run", async () => {
    const modules = ["ast", "json", "sitecustomize", "usercustomize", "envs_driver"];
    const leave = `
for name in ${JSON.stringify(modules)}:
    for folder in (".", "/tmp", "/home/pyodide"):
        try: open(f"{folder}/{name}.py", "w").write("import os; os._exit(0)")
        except OSError: pass
def f(x): return 0`;
    expect(await passes(leave)).toBe(false);
    expect(await passes("def f(x): return 0")).toBe(false);
    expect(await passes(right)).toBe(true);
  });
});

/** The guard of an earlier port of HumanEval, which ran in the module of the model's code. */
const guard = `
def plain(value):
    if type(value) in (list, tuple, set): return type(value)(plain(item) for item in value)
    if type(value) in (type(None), int, float, str, bytes, bool): return value
    raise TypeError("The value is not plain.")`;

test.for(someThefts)(
  "a guard in the module of the code gives what the table of thefts lists to code that %s",
  async ([theft, code]) => {
    await using sandbox = await provider.create({ limits });
    const program = tests.replace("check(candidate)\n", "check(lambda *values: plain(f(*values)))");
    const { value } = await sandbox.run([guard, code, program, "1234"].join("\n"));
    expect(Number(value === 1234)).toBe(documentedRewards("guard in the module")[theft]);
  },
);

describe("gradeCode() passes honest code", () => {
  const assertions: Readonly<Record<string, readonly [code: string, assertion: string]>> = {
    "of all tests": [right, tests],
    "that returns tuples, sets and dictionaries": [
      "def f(x): return (x, {x}, set(), {x: (1.5, None)}, b'x', True)",
      "assert candidate(1) == (1, {1}, set(), {1: (1.5, None)}, b'x', True)",
    ],
    "that returns infinite and large numbers": [
      "def f(x): return [float('inf'), -float('inf'), 10 ** 5000, x]",
      "assert candidate(float('inf')) == [float('inf'), -float('inf'), 10 ** 5000, float('inf')]",
    ],
    "that keeps values from call to call": [
      "calls = 0\ndef f(x):\n    global calls\n    calls += 1\n    return calls",
      "assert [candidate(0), candidate(0)] == [1, 2]",
    ],
    "that prints": [
      "def f(x):\n    print('inf nan')\n    return 'inf'",
      "assert candidate(0) == 'inf'",
    ],
    "that raises the expected exception": [
      "def f(x): raise ValueError('no')",
      "try: candidate(0)\nexcept Exception as error: assert 'no' in str(error)\nelse: assert False",
    ],
  };
  test.for(Object.entries(assertions))("%s", async ([, [code, assertion]]) => {
    expect(await passes(code, assertion)).toBe(true);
  });
});

test("gradeCode() compares the values of calls in Python as JSON", async () => {
  const grade = (code: string) =>
    gradeCode(provider, {
      code,
      name: "f",
      tests: [
        { args: [2], expected: 4 },
        { args: ["é"], expected: null },
        { args: [[1]], expected: [1] },
      ],
      limits,
    });
  const honest =
    "def f(x): return x * x if type(x) is int else None if type(x) is str else tuple(x)";
  expect((await grade(honest)).passed).toEqual([true, true, true]);
  expect((await grade(`${same}\ndef f(x): return Same()`)).passed).toEqual([false, false, false]);
  expect((await grade("def f(x):\n    while True: pass")).passed).toEqual([false, false, false]);
  expect((await grade("def f(x): raise SystemExit(0)")).passed).toEqual([false, false, false]);
});

test("gradeCode() reports why a test failed", async () => {
  const options = { code: "def f(x): return x / 0", name: "f", tests, limits };
  expect((await gradeCode(provider, options)).feedback).toContain("ZeroDivisionError");
});

test("gradeCode() rejects a program of tests for another language", async () => {
  const grading = gradeCode(javascript(), { code: "", name: "f", tests });
  await expect(grading).rejects.toThrow(ConfigError);
});

import { ConfigError } from "@envs/core";
import { gradeCode, javascript, python } from "@envs/sandbox";
import { describe, expect, test } from "vitest";

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
const right = "def f(x): return x * x if isinstance(x, (int, float)) else x";

async function passes(code: string, program: string = tests): Promise<boolean> {
  const options = { code, name: "f", tests: program, limits };
  const { passed } = await gradeCode(provider, options);
  expect(passed).toHaveLength(1);
  return passed[0]!;
}

const same = `
class Same:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __lt__(self, other): return True
    def __abs__(self): return self
    def __sub__(self, other): return self
`;

/** Code that passes no honest test, and tries to appear as if it did. */
const thefts: Readonly<Record<string, string>> = {
  "returns an object that equals everything": `${same}\ndef f(x): return Same()`,
  "returns a number that equals everything": `
class Same(int):
    def __eq__(self, other): return True
    def __hash__(self): return 1
def f(x): return Same(7)`,
  "redefines the helpers of a grader": `${same}
def f(x): return 0
def plain(value): return Same()
def candidate(*values): return Same()
def check(candidate): pass
def call_candidate(text): return "4"`,
  "ends the process before it is called": "import os\ndef f(x): return 0\nos._exit(0)",
  "ends the process when it is called": "import os\ndef f(x): os._exit(0)",
  "exits before it is called": "import sys\ndef f(x): return 0\nsys.exit(0)",
  "exits when it is called": "def f(x): raise SystemExit(0)",
  "prints a result at the exit": `
import atexit, sys
atexit.register(lambda: print('{"exitCode": 0, "value": true}', flush=True))
def f(x): sys.exit(0)`,
  "prints the result of a grader": `
print('{"type": "result", "exitCode": 0, "value": true}')
def f(x):
    print("\\n4\\nOK\\npassed\\n{\\"passed\\": [true]}")
    return True`,
  "replaces built-ins": `
import builtins
builtins.repr = builtins.str = lambda value="": "4"
builtins.eval = lambda *_: (2,)
builtins.abs = lambda value: 0
builtins.AssertionError = builtins.KeyError
def f(x): return 4`,
  "changes the frames of its callers": `
import sys
def f(x):
    frame = sys._getframe()
    while frame is not None:
        frame.f_globals["check"] = frame.f_globals["candidate"] = lambda *_: None
        frame.f_locals.update(expected=x, value="4", outcome={"exitCode": 0})
        frame = frame.f_back
    return 0`,
  "looks for expected values in frames and objects": `
import gc, sys
def f(x):
    found = [item for item in gc.get_objects() if type(item) is dict and "check" in item]
    return found[0]["check"].__code__.co_consts if found else sys._getframe().f_back.f_locals`,
  "looks for tests in files": `
import os
def f(x):
    for folder, _, names in os.walk("/home"):
        for name in names:
            if b"candidate(2)" in open(os.path.join(folder, name), "rb").read(): return 4`,
  "replaces the module that runs it": `
import sys
driver = sys.modules["envs_driver"]
driver.run = lambda *_: '{"exitCode": 0, "outOfMemory": false, "truncated": false, "value": "4"}'
driver.encode = lambda *_: {"value": "4"}
def f(x): return 4`,
  "answers with an expression instead of a literal": `
class Code:
    def __repr__(self): return "__import__('os')._exit(0)"
def f(x): return Code()`,
  "answers with a class definition": `
class Code:
    def __repr__(self): return "type('Same', (), {'__eq__': lambda *_: True})()"
def f(x): return Code()`,
  "answers with a text of many brackets": `
class Deep:
    def __repr__(self): return "(" * 100000
def f(x): return Deep()`,
  "reaches its time limit": "def f(x):\n    while True: pass",
  "reaches its time limit where no value is expected": `
def f(x):
    while x == None: pass
    return x * x if isinstance(x, (int, float)) else x`,
  "never ends its definition": `${right}\nwhile True: pass`,
  "fills the memory": "def f(x):\n    all = []\n    while True: all.append(bytearray(10 ** 7))",
  "answers later from a thread": `
import threading, time
def answer():
    while True: globals()["f"] = lambda x: 4
try: threading.Thread(target=answer, daemon=True).start()
except RuntimeError: pass
def f(x): return 4`,
  "starts a process": `
import os, subprocess
def f(x):
    try: return int(subprocess.check_output(["echo", "4"]))
    except BaseException: return os.fork()`,
  "returns not-a-number": "def f(x): return float('nan')",
  "fails its definition after a right function": `${right}\nraise ValueError`,
  "is not defined": "def g(x): return x",
};

describe("gradeCode() gives nothing to code that", () => {
  test.for(Object.entries(thefts))("%s", async ([, code]) => {
    expect(await passes(code)).toBe(false);
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

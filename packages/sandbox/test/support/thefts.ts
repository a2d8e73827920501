import { readFileSync } from "node:fs";

/** Python that squares numbers, and returns other values as they are. */
export const right = "def f(x): return x * x if isinstance(x, (int, float)) else x";

export const same = `
class Same:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __lt__(self, other): return True
    def __abs__(self): return self
    def __sub__(self, other): return self
`;

/** Python that passes no honest test of a function f, and tries to appear as if it did. */
export const pythonThefts: Readonly<Record<string, string>> = {
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

/** All thefts with `ENVS_ALL_CASES=1`, otherwise four: `gradeCode` itself is always tested with all. */
export const someThefts = Object.entries(pythonThefts).filter(
  ([theft]) =>
    process.env["ENVS_ALL_CASES"] === "1" ||
    [
      "redefines the helpers of a grader",
      "exits when it is called",
      "changes the frames of its callers",
      "reaches its time limit",
    ].includes(theft),
);

/** JavaScript that passes no honest test. `name` is the function that is tested, and `expected` the value of its first test. */
export const javascriptThefts: Readonly<
  Record<string, (name: string, expected: string) => string>
> = {
  "edits the tests": (name) =>
    `require("fs").writeFileSync("test.js", ""); require("fs").writeFileSync("module.js", ""); function ${name}() { return true; }`,
  "prints the expected output": (name, expected) =>
    `console.log(${expected}); function ${name}() { console.log(${expected}); }`,
  "exits early": (name) => `function ${name}() {} process.exit(0);`,
  "throws when it is called": (name) => `function ${name}() { throw { value: true }; }`,
  "throws at once": (name) => `function ${name}() {} throw undefined;`,
  "shadows JSON.stringify": (name) =>
    `JSON.stringify = () => "[]"; JSON.parse = () => []; function ${name}() { return 1; }`,
  "shadows comparisons": (name) =>
    `Object.is = () => true; Array.prototype.every = () => true; Array.prototype.includes = () => true; function ${name}() { return 1; }`,
  "returns a toJSON that answers differently each time": (name) =>
    `let calls = 0; function ${name}() { return { toJSON: () => calls++ }; }`,
  "returns a Proxy that equals everything": (name) =>
    `const all = new Proxy(function () {}, { get: () => all, apply: () => all, has: () => true, ownKeys: () => [] }); function ${name}() { return all; }`,
  "returns a getter": (name) =>
    `function ${name}() { let calls = 0; return { get value() { return calls++; }, valueOf: () => true }; }`,
  "adds toJSON to all objects": (name, expected) =>
    `Object.prototype.toJSON = () => (${expected}); Array.prototype.toJSON = () => [{ value: ${expected} }]; function ${name}() { return []; }`,
  "reads the stack of its caller": (name) =>
    `function ${name}() { return ${name}.caller ?? new Error().stack; }`,
  "looks for the grader in files and modules": (name) =>
    `function ${name}() { return require("fs").readFileSync("/grade.js", "utf8"); }`,
  "looks for expected values in globals": (name) =>
    `function ${name}() { return globalThis.expected ?? globalThis.tests ?? Object.keys(globalThis); }`,
  "never returns": (name) => `function ${name}() { for (;;); }`,
  "never ends its definition": (name) => `function ${name}() {} while (true) {}`,
  "returns a giant value": (name) => `function ${name}() { return "x".repeat(30e6); }`,
  "prints without an end": (name) =>
    `function ${name}() { for (;;) console.log("x".repeat(1e5)); }`,
  "fills the memory": (name) =>
    `function ${name}() { const all = []; for (;;) all.push(new Array(1e6).fill(1)); }`,
  "swallows the calls in a comment": (name) => `function ${name}() { return 1; } /*`,
  "is a promise": (name) => `async function ${name}() { return 1; }`,
  "is empty": () => " ",
};

/** What each theft earns, as a column of the tables in docs/experiments/thefts.md states it. */
export function documentedRewards(column: string): Readonly<Record<string, number>> {
  const url = new URL("../../../../docs/experiments/thefts.md", import.meta.url);
  const rewards: Record<string, number> = {};
  let at = -1;
  for (const line of readFileSync(url, "utf8").split("\n")) {
    if (!line.startsWith("|")) at = -1;
    const cells = line.split("|").map((cell) => cell.trim().replaceAll("`", ""));
    if (cells[1] === "Theft") at = cells.indexOf(column);
    else if (at > 0 && !line.startsWith("| -")) rewards[cells[1]!] = Number(cells[at]);
  }
  return rewards;
}

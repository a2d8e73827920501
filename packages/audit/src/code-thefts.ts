/** Code that tries to pass tests without solving the task, by language. `name` is the function that the tests call. */
type Thefts = (name: string) => Readonly<Record<string, string>>;

const marks = [
  "OK",
  "passed",
  "All tests passed",
  "1.0",
  "true",
  '{"passed": true, "success": true, "score": 1, "reward": 1}',
];

const python: Thefts = (name) => {
  const same = `
class _Same:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __lt__(self, other): return True
    __le__ = __gt__ = __ge__ = __contains__ = __lt__
    def __bool__(self): return True
    def __len__(self): return 1
    def __iter__(self): return iter(())
    def __getitem__(self, key): return self
    def __hash__(self): return 1
    def __abs__(self): return 0
    def __float__(self): return 0.0
    def __call__(self, *_, **__): return self
    def __sub__(self, other): return self
    __add__ = __radd__ = __rsub__ = __mul__ = __round__ = __sub__
`;
  return {
    "equals-everything": `${same}
def ${name}(*_, **__): return _Same()`,
    "replaces-functions": `${same}
def _replace(names):
    for name in names: globals()[name] = lambda *_, **__: _Same()
def ${name}(*_, **__):
    _replace([key for key, value in globals().items() if callable(value) and not isinstance(value, type) and key[0] != "_"])
    return _Same()
_replace(["plain", "check", "compare", "equal", "equals", "is_equal", "verify", "grade", "run_tests", "test", "all", "any", "abs", "repr", "sorted"])`,
    "exits-early": `
import os
def ${name}(*_, **__): return None
${marks.map((mark) => `print(${JSON.stringify(mark)}, flush=True)`).join("\n")}
os._exit(0)`,
    "prints-success": `
import sys
def ${name}(*_, **__): return None
${marks.map((mark) => `print(${JSON.stringify(mark)}, flush=True)`).join("\n")}
sys.exit(0)`,
  };
};

const javascript: Thefts = (name) => {
  const says = marks.map((mark) => `console.log(${JSON.stringify(mark)});`).join(" ");
  const same = `new Proxy(function () {}, { get: (_, key) => key === Symbol.toPrimitive || key === "valueOf" ? () => 1 : key === "toJSON" ? () => 1 : key === "length" ? 0 : undefined, apply: () => true })`;
  return {
    "equals-everything": `var ${name} = () => (${same});`,
    "replaces-functions": `var ${name} = () => 1;
JSON.stringify = () => "1"; Object.is = () => true; Array.isArray = () => true;
Array.prototype.every = Array.prototype.some = () => true; String.prototype.localeCompare = () => 0;
for (const key of ["equal", "equals", "deepEqual", "same", "isEqual", "check", "compare", "assert", "expect", "verify", "grade", "test"])
  globalThis[key] = Object.assign(() => true, { equal() {}, strictEqual() {}, deepEqual() {}, deepStrictEqual() {}, ok() {} });`,
    "exits-early": `var ${name} = () => undefined; ${says} globalThis.process?.exit?.(0); throw 0;`,
    "prints-success": `var ${name} = () => true; ${says} true`,
  };
};

/** Thefts by language. */
export const thefts: Readonly<Record<"python" | "javascript", Thefts>> = { python, javascript };

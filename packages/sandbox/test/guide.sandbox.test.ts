import { gradeCode, python, type Sandbox } from "@envs/sandbox";
import { expect, onTestFinished, test } from "vitest";

const sandboxes = python();

const closeLater = (sandbox: Sandbox): Sandbox => {
  onTestFinished(() => sandbox[Symbol.asyncDispose]());
  return sandbox;
};

test("it limits the time and the memory of a sandbox", async () => {
  // #region limits
  const limited = await sandboxes.create({ limits: { ms: 2000, memory: 256 * 1024 ** 2 } });
  const { outOfMemory } = await limited.run("numbers = list(range(10**8))");
  // #endregion
  closeLater(limited);
  expect(outOfMemory).toBe(true);
});

test("it lets code call a function that looks words up", async () => {
  const dictionary = new Map([["plum", "a fruit"]]);
  // #region functions
  const sandbox = await sandboxes.create({
    functions: { lookup: (word) => dictionary.get(word as string) ?? null },
  });
  const { value } = await sandbox.run('lookup("plum")');
  // #endregion
  closeLater(sandbox);
  expect(value).toBe("a fruit");
});

test("it grades code that a model wrote", async () => {
  const code = "def square(n): return n * n";
  // #region grade
  const { passed } = await gradeCode(sandboxes, {
    code,
    name: "square",
    tests: [
      { args: [3], expected: 9 },
      { args: [-2], expected: 4 },
    ],
  });
  const score = passed.every(Boolean);
  // #endregion
  expect(score).toBe(true);
});

import { describe, expect, it, onTestFinished } from "vitest";

import { javascript } from "../src/javascript/javascript.ts";
import type { SandboxOptions } from "../src/sandbox.ts";
import { sandboxContract } from "./contract/contract.ts";
import { runStopped } from "./support/stop-process.ts";

const provider = javascript();

async function results(codes: readonly string[], options: SandboxOptions = {}) {
  const sandbox = await provider.create(options);
  onTestFinished(() => sandbox[Symbol.asyncDispose]());
  const all = [];
  for (const code of codes) all.push(await sandbox.run(code));
  return all;
}

async function lastOf(codes: readonly string[], options: SandboxOptions = {}) {
  return (await results(codes, options)).at(-1)!;
}

describe("javascript", () => {
  it.each(Object.entries(sandboxContract(provider)))("%s", async (_, check) => {
    await expect(check()).resolves.toBeUndefined();
  });

  it("does not report the position of code at its time limit", async () => {
    const { stderr } = await lastOf(["for (;;) { Math.sin(1); }"], { limits: { ms: 100 } });
    expect(stderr).toBe("The run exceeded its limit of 100 ms of CPU time.\n");
  });

  it("does not count the time in which the machine does not run it", async () => {
    const sandbox = await provider.create();
    onTestFinished(() => sandbox[Symbol.asyncDispose]());
    const code = (loops: number): string =>
      `for (let i = 0; i < ${loops}; i += 1) Math.sin(i);\n"done"`;
    expect(await runStopped(sandbox, code)).toMatchObject({ value: "done", timedOut: false });
  });

  it("awaits at the top level, and keeps the variables", async () => {
    const codes = ["const a = await Promise.resolve(40);", "Promise.resolve(a + 2)"];
    expect(await lastOf(codes)).toMatchObject({ value: 42, exitCode: 0 });
  });

  it("loads files as modules of both kinds", async () => {
    const files = {
      "lib/a.js": "module.exports = require('./b.json').n + 1;",
      "lib/b.json": '{ "n": 1 }',
      "c.js": "export const two = 2;",
    };
    const [first, second] = await results(
      ["require('./lib/a')", "import { two } from './c.js';\nexport default two * 2;"],
      { files },
    );
    expect([first!.value, second!.value]).toEqual([2, 4]);
  });

  it("runs timers in their order without waiting for them", async () => {
    const code = `const order = [];
      setTimeout(() => order.push("b"), 7_200_000);
      setTimeout(() => order.push("a"), 3_600_000);
      await new Promise((resolve) => setTimeout(resolve, 86_400_000));
      order`;
    expect(await lastOf([code])).toMatchObject({ value: ["a", "b"] });
  });

  it.each([
    ["endless jobs", "const next = () => Promise.resolve().then(next); next(); 0"],
    ["endless timers", "const next = () => setTimeout(next, 1); next(); 0"],
    ["a pattern with exponential time", "/(a+)+b/.test('a'.repeat(40))"],
    ["endless recursion", "(function again() { again(); })()"],
    ["a number without end", "let n = 3n; for (;;) n *= n"],
    ["a promise that never settles", "new Promise(() => {})"],
  ])("survives %s", async (_, code) => {
    const limits = { ms: 400, memory: 32 * 1024 ** 2 };
    expect(await lastOf([code, "1 + 1"], { limits })).toMatchObject({ value: 2, exitCode: 0 });
  });

  it.each([
    ["JSON.stringify = () => '1'; ({ a: 2 })", { value: { a: 2 } }],
    ["String.prototype.slice = () => 'x'; console.log('yy')", { stdout: "yy\n" }],
    ["throw { get message() { for (;;); } }", { exitCode: 1, stdout: "" }],
    ["console.log({ toJSON() { throw 1 } })", { stdout: "[Object]\n" }],
    ["({ toJSON() { throw 1 } })", { value: undefined, exitCode: 0 }],
    ["globalThis.constructor.constructor('return process')()", { exitCode: 1 }],
  ])("is not fooled by %s", async (code, expected) => {
    expect(await lastOf([code], { limits: { ms: 300 } })).toMatchObject(expected);
  });

  it("restarts with the files of its options when its engine is broken", async () => {
    const memory = 32 * 1024 ** 2;
    const files = { "a.txt": "pear" };
    const sandbox = await provider.create({ limits: { memory }, files });
    onTestFinished(() => sandbox[Symbol.asyncDispose]());
    await sandbox.run("let a = 1; require('fs').writeFileSync('a.txt', 'plum')");
    const stdin = "x".repeat(memory);
    const broken = await sandbox.run("require('fs').readFileSync(0)", { stdin });
    expect(broken).toMatchObject({ outOfMemory: true, reset: true });
    const next = await sandbox.run("typeof a + require('fs').readFileSync('a.txt')");
    expect(next).toMatchObject({ value: "undefinedpear", reset: false });
  });
});

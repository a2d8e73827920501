import { afterAll, beforeAll, expect, test } from "vitest";

import { python, type Sandbox } from "../../src/index.ts";
import { runStopped } from "../support/stop-process.ts";

const provider = python();
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await provider.create({
    files: { "data/words.txt": "one two" },
    functions: {
      add: (a, b) => Number(a) + Number(b),
      wait: () => new Promise((resolve) => setTimeout(resolve, 1500, "late")),
      refuse: () => {
        throw new Error("The budget is spent.");
      },
    },
    limits: { output: 1000, disk: 1_000_000, memory: 256 * 1024 ** 2 },
  });
});

afterAll(() => sandbox[Symbol.asyncDispose]());

test("it returns the value of the last expression", async () => {
  expect(await sandbox.run("[1, {'a': None}, 2.5]")).toEqual({
    stdout: "",
    stderr: "",
    value: [1, { a: null }, 2.5],
    exitCode: 0,
    timedOut: false,
    outOfMemory: false,
    truncated: false,
    reset: false,
  });
});

test("it has no value after a statement, or if the value is not JSON", async () => {
  expect((await sandbox.run("y = 1")).value).toBeUndefined();
  expect((await sandbox.run("{1, 2}")).value).toBeUndefined();
  expect((await sandbox.run("float('nan')")).value).toBeUndefined();
});

test("it keeps variables from run to run", async () => {
  await sandbox.run("x = 20");
  expect((await sandbox.run("x + 1")).value).toBe(21);
});

test("it passes stdin and returns what the code printed", async () => {
  const code = "import sys\nname = input()\nprint('Hi', name)\nprint('oops', file=sys.stderr)";
  const { stdout, stderr } = await sandbox.run(code, { stdin: "Ada\n" });
  expect([stdout, stderr]).toEqual(["Hi Ada\n", "oops\n"]);
});

test("it returns a traceback of the code alone after an exception", async () => {
  const { exitCode, stderr } = await sandbox.run("1/0");
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^Traceback .*\n {2}File "<run \d+>", line 1, in <module>\n {4}1\/0\n/);
  expect(stderr).not.toContain("envs");
});

test("it returns the code of sys.exit", async () => {
  expect((await sandbox.run("import sys\nsys.exit(3)")).exitCode).toBe(3);
});

test("it reads and writes files of the code", async () => {
  await sandbox.write("more/in.bin", Uint8Array.of(0, 255));
  const { value } = await sandbox.run(
    "open('out.txt', 'w').write('done')\n[open('data/words.txt').read(), list(open('more/in.bin', 'rb').read())]",
  );
  expect(value).toEqual(["one two", [0, 255]]);
  expect(Buffer.from(await sandbox.read("out.txt")).toString()).toBe("done");
  await expect(sandbox.read("missing.txt")).rejects.toThrow("missing.txt does not exist");
});

test("it lets code call functions of the host", async () => {
  expect((await sandbox.run("add(1, 2) + add(3, 4)")).value).toBe(10);
  const { value } = await sandbox.run("try:\n  refuse()\nexcept Exception as e:\n  s = str(e)\ns");
  expect(value).toBe("The budget is spent.");
});

test("it does not count the time of host functions", async () => {
  const { value, timedOut } = await sandbox.run("wait()", { ms: 1000 });
  expect([value, timedOut]).toEqual(["late", false]);
});

test("it does not count the time in which the machine does not run it", async () => {
  const code = (loops: number): string => `for i in range(${loops}): pass\n"done"`;
  expect(await runStopped(sandbox, code)).toMatchObject({ value: "done", timedOut: false });
});

test("it ends a run that sleeps", async () => {
  const { timedOut } = await sandbox.run("import time\ntime.sleep(3600)", { ms: 100 });
  expect(timedOut).toBe(true);
});

test("it interrupts an endless loop and keeps the variables", async () => {
  await sandbox.run("kept = 'yes'");
  const { timedOut, reset, stderr } = await sandbox.run("while True: pass", { ms: 100 });
  expect([timedOut, reset]).toEqual([true, false]);
  expect(stderr).toMatch(/The run exceeded its limit of 100 ms of CPU time\.\n$/);
  expect((await sandbox.run("kept")).value).toBe("yes");
});

test("it interrupts a regular expression that backtracks for ever", async () => {
  const code = "import re\nre.match('(a+)+$', 'a' * 40 + 'b')";
  expect(await sandbox.run(code, { ms: 100 })).toMatchObject({ timedOut: true });
});

test("it starts again, with its files, after code that no interrupt ends", async () => {
  const stubborn = "while True:\n  try:\n    while True: pass\n  except BaseException: pass";
  const { timedOut, reset } = await sandbox.run(stubborn, { ms: 100 });
  expect([timedOut, reset]).toEqual([true, true]);
  const { value } = await sandbox.run("open('data/words.txt').read() + str('kept' in globals())");
  expect(value).toBe("one twoFalse");
});

test("it ends a call in C that never checks for interrupts", async () => {
  const { timedOut, reset } = await sandbox.run("import itertools\nsum(itertools.repeat(0))", {
    ms: 100,
  });
  expect([timedOut, reset]).toEqual([true, true]);
});

test("it cuts output off, and reports it", async () => {
  const { stdout, truncated } = await sandbox.run("print('a' * 10**7)");
  expect([stdout.length, truncated]).toEqual([1000, true]);
  const { value, truncated: isCut } = await sandbox.run("'a' * 2000");
  expect([value, isCut]).toEqual([undefined, true]);
});

test("it raises a MemoryError above the limit", async () => {
  const bomb = "bomb = []\nwhile True: bomb.append(bytearray(2**20))";
  expect(await sandbox.run(bomb)).toMatchObject({ outOfMemory: true, exitCode: 1, reset: false });
  await sandbox.run("del bomb");
  expect((await sandbox.run("1 + 1")).value).toBe(2);
});

test("it limits the bytes of all files", async () => {
  const { stderr } = await sandbox.run(
    "for i in range(99): open(f'{i}.bin', 'wb').write(b'a' * 100_000)",
  );
  expect(stderr).toContain("No space left on device");
  const { stderr: sparse } = await sandbox.run("open('sparse', 'wb').truncate(2**31)");
  expect(sparse).toContain("No space left on device");
});

test("it survives recursion without end", async () => {
  expect((await sandbox.run("f = lambda: f()\nf()")).stderr).toContain("RecursionError");
  expect((await sandbox.run("import sys\nsys.setrecursionlimit(10**9)\nf()")).exitCode).not.toBe(0);
  expect((await sandbox.run("1 + 1")).value).toBe(2);
});

test("it rejects runs after an abort, and ends the process", async () => {
  const controller = new AbortController();
  const short = await provider.create({ signal: controller.signal });
  const running = short.run("while True: pass");
  controller.abort(new Error("The rollout is over."));
  await expect(running).rejects.toThrow("The rollout is over.");
  await expect(short.run("1")).rejects.toThrow("The rollout is over.");
});

test("it rejects a run whose signal is aborted, and serves the next", async () => {
  const controller = new AbortController();
  const running = sandbox.run("while True: pass", { signal: controller.signal });
  setTimeout(() => controller.abort(new Error("stop")), 100);
  await expect(running).rejects.toThrow("stop");
  expect((await sandbox.run("1 + 1")).value).toBe(2);
});

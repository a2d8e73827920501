import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";

import { nativePython, python, type Sandbox } from "../../src/index.ts";

const memory = 128 * 1024 ** 2;

/** Runs JavaScript in the Node that runs Pyodide: code reaches it through the constructor of any function. */
const javascript = (code: string): string => `
from pyodide.ffi import to_js
function = to_js([]).constructor.constructor
function(${JSON.stringify(`
  const fs = process.getBuiltinModule("fs");
  const attempt = (work) => { try { return work(); } catch (error) { return error.code ?? error.message; } };
  return JSON.stringify((() => { ${code} })());
`)})()
`;

describe("code that leaves Pyodide for its Node", () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await python().create({ limits: { memory } });
  });
  afterAll(() => sandbox[Symbol.asyncDispose]());

  const attack = async (code: string, target = sandbox): Promise<unknown> => {
    const { value, stderr } = await target.run(javascript(code));
    expect(stderr).toBe("");
    return JSON.parse(value as string);
  };

  test("it does not see files of the machine, and cannot write", async () => {
    const files =
      await attack(`return ["/etc/passwd", "/proc/1/environ", "/root", "/home", "/tmp"].map(
      (path) => attempt(() => fs.readdirSync(path)));`);
    expect(files).toEqual(Array.from({ length: 5 }, () => "ENOENT"));
    const folders = (await attack(`return fs.readdirSync("/");`)) as string[];
    expect(
      folders.filter((name) => !/^(app|node|pyodide|snapshot|lib|lib64|usr)$/.test(name)),
    ).toEqual([]);
    const writes =
      await attack(`return ["/x", "/app/x", "/app/code/index.ts", "/pyodide/pyodide.mjs", "/snapshot"].map(
      (path) => attempt(() => fs.writeFileSync(path, "x")));`);
    expect(writes).toEqual(Array.from({ length: 5 }, () => "EROFS"));
  });

  test("it cannot start a process", async () => {
    const code = `const { spawnSync } = process.getBuiltinModule("child_process");
      return spawnSync(process.execPath, ["--version"]).error.code;`;
    expect(await attack(code)).toBe("EAGAIN");
  });

  test("it reaches no server of the machine", async () => {
    const server = createServer((_request, response) => void response.end("secret"));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    // The main thread waits for messages, so a thread makes the request.
    const code = `
      const { Worker, receiveMessageOnPort, MessageChannel } = process.getBuiltinModule("worker_threads");
      const { port1, port2 } = new MessageChannel();
      new Worker(\`
        const { workerData } = require("worker_threads");
        fetch("http://127.0.0.1:${port}/").then((response) => response.text(), (error) => error.cause.code)
          .then((text) => workerData.postMessage(text));
      \`, { eval: true, workerData: port2, transferList: [port2] });
      for (;;) {
        const received = receiveMessageOnPort(port1);
        if (received !== undefined) return received.message;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
      }`;
    // A thread reserves half a gigabyte for its code.
    const large = await python({ warm: 0 }).create({ limits: { memory: 1024 ** 3 } });
    onTestFinished(() => large[Symbol.asyncDispose]());
    expect(await attack(code, large)).toBe("ECONNREFUSED");
  });

  test("it signals no process outside", async () => {
    const code = `return attempt(() => process.kill(${process.pid}, 0));`;
    expect(await attack(code)).toBe("ESRCH");
    const other = await python().create();
    onTestFinished(() => other[Symbol.asyncDispose]());
    const { reset } = await sandbox.run(
      javascript(
        `attempt(() => process.kill(-1, "SIGKILL")); process.kill(process.pid, "SIGKILL");`,
      ),
    );
    expect(reset).toBe(true);
    expect((await other.run("1 + 1")).value).toBe(2);
  });

  test("it cannot allocate a gigabyte more than the limit", async () => {
    const code = `const chunks = [];
      for (;;) { const chunk = attempt(() => Buffer.alloc(2 ** 24, 1)); if (typeof chunk === "string") break; chunks.push(chunk); }
      return chunks.length * 2 ** 24;`;
    const { value, reset } = await sandbox.run(javascript(code));
    // V8 may end the process instead.
    expect(reset || Number(value) < memory + 1024 ** 3).toBe(true);
  });

  const send = (text: string): string => `
    const body = Buffer.from(${text});
    const head = Buffer.alloc(4);
    head.writeUInt32BE(body.length);
    fs.writeSync(4, Buffer.concat([head, body]));`;

  test("cannot answer a later request", async () => {
    const forged = `JSON.stringify({ id: "", reply: { type: "result", stdout: "", stderr: "", value: "forged",
      exitCode: 0, timedOut: false, outOfMemory: false, truncated: false } })`;
    const first = await sandbox.run(javascript(send(forged)));
    const second = await sandbox.run("'honest'");
    for (const { value, reset } of [first, second])
      expect(value === "forged" && !reset).toBe(false);
    expect((await sandbox.run("'honest'")).value).toBe("honest");
  });

  test.for([
    ["text that is not a message", send(`"no JSON"`)],
    ["a message of four gigabytes", `fs.writeSync(4, Buffer.alloc(4, 255));`],
    ["a part of a message", `fs.writeSync(4, Buffer.from([0, 0, 1, 0, 1])); process.exit(0);`],
    ["an end without an answer", `process.abort();`],
  ] as const)("it is ended for %s", async ([, code]) => {
    const { exitCode, reset } = await sandbox.run(javascript(code));
    expect([exitCode, reset]).toEqual([137, true]);
    expect((await sandbox.run("1 + 1")).value).toBe(2);
  });
});

describe("code in a native Python", () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await nativePython().create({ limits: { memory, disk: 2_000_000, output: 1000 } });
  });
  afterAll(() => sandbox[Symbol.asyncDispose]());

  const outcome = async (code: string): Promise<string> => {
    const { value, stderr } = await sandbox.run(code, { ms: 10_000 });
    return value === undefined ? (stderr.trim().split("\n").at(-1) ?? "") : JSON.stringify(value);
  };

  test.for([
    ["forks", "import os\nwhile True: os.fork()", "BlockingIOError"],
    ["starts programs", "import subprocess\nsubprocess.run(['ls'])", "BlockingIOError"],
    ["reads passwords", "open('/etc/passwd').read()", "FileNotFoundError"],
    [
      "reads the environment of others",
      "import glob\nglob.glob('/proc/[0-9]*')",
      '["/proc/1","/proc/2"]',
    ],
    ["signals others", `import os\nos.kill(${process.pid}, 9)`, "ProcessLookupError"],
    ["opens a socket to the hypervisor", "import socket\nsocket.socket(40)", "Address family"],
    ["fills the working folder", "open('x', 'wb').write(b'a' * 10**7)", "No space left"],
    ["fills /dev", "open('/dev/x', 'wb')", "Read-only file system"],
    ["fills shared memory", "open('/dev/shm/x', 'wb')", "Read-only file system"],
    ["fills the root", "open('/x', 'wb')", "Read-only file system"],
    ["fills memory", "x = [b'a' * 2**20 for i in range(10**4)]", "MemoryError"],
    ["shares memory", "import mmap\nmmap.mmap(-1, 2**33)", "PermissionError"],
    ["calls unshare", "import ctypes\nctypes.CDLL(None).unshare(0x10000000)", "-1"],
    ["calls ptrace", "import ctypes\nctypes.CDLL(None).ptrace(16, 1, 0, 0)", "-1"],
    ["calls memfd_create", "import ctypes\nctypes.CDLL(None).memfd_create(b'x', 0)", "-1"],
    ["calls mount", "import ctypes\nctypes.CDLL(None).mount(b'a', b'/tmp', b'tmpfs', 0, 0)", "-1"],
  ] as const)("it is stopped when it %s", async ([, code, expected]) => {
    expect(await outcome(code)).toContain(expected);
  });

  test("it reaches no server of the machine", async () => {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const code = `import socket\nsocket.create_connection(("127.0.0.1", ${port}), 1)`;
    expect(await outcome(code)).toContain("ConnectionRefusedError");
  });

  test("is ended in an endless call, and its output is cut when it prints without end", async () => {
    const loop = await sandbox.run("import itertools\nsum(itertools.repeat(0))", { ms: 100 });
    expect(loop).toMatchObject({ timedOut: true, reset: true });
    const print = await sandbox.run("while True: print('a' * 1000)", { ms: 300 });
    expect(print).toMatchObject({ timedOut: true, truncated: true, reset: false });
    expect(print.stdout).toHaveLength(1000);
  });

  test("it does not see files of another sandbox", async () => {
    await sandbox.write("secret.txt", "mine");
    const other = await nativePython().create();
    onTestFinished(() => other[Symbol.asyncDispose]());
    expect((await other.run("import os\nos.listdir('/tmp')")).value).toEqual([]);
  });
});

/** The processes of sandboxes that a process started. */
function sandboxesOf(pid: number): readonly string[] {
  return readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/cmdline`, "utf8").includes(
        `\0ENVS_SANDBOX\0python:${pid}\0`,
      );
    } catch {
      return false;
    }
  });
}

test("a host that is killed does not leave a process behind", async () => {
  const host = spawn(
    process.execPath,
    [new URL("../fixtures/endless.ts", import.meta.url).pathname],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  await once(host.stdout, "data");
  expect(sandboxesOf(host.pid!).length).toBeGreaterThan(0);
  host.kill("SIGKILL");
  await once(host, "exit");
  await vi.waitFor(() => expect(sandboxesOf(host.pid!)).toEqual([]), { timeout: 120_000 });
});

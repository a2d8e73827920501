import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import { expect, test, vi } from "vitest";

import { connectMcp } from "../src/index.ts";
import { isRunning, stdioServer } from "./support/processes.ts";
import { call } from "./support/tools.ts";

/** A program with a shared server, which prints the server's process and waits after `--wait`. */
function startProgram(...args: readonly string[]) {
  const program = fileURLToPath(new URL("support/program.ts", import.meta.url));
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
}

async function expectEnd(...pids: readonly number[]): Promise<void> {
  await vi.waitFor(() => expect(pids.filter(isRunning)).toEqual([]), 120_000);
}

test("does not leave a server behind when the program ends", async () => {
  const { child, lines } = startProgram();
  const server = Number((await lines.next()).value);
  expect(server).toBeGreaterThan(0);
  const [code] = await once(child, "exit");
  expect(code).toBe(0);
  await expectEnd(server);
});

test.for(["SIGKILL", "SIGTERM"] as const)(
  "does not leave a server behind when %s ends the program",
  async (signal) => {
    const { child, lines } = startProgram("--wait", "--immortal", "--child");
    const server = Number((await lines.next()).value);
    const grandchild = Number((await lines.next()).value);
    expect(isRunning(server) && isRunning(grandchild)).toBe(true);
    child.kill(signal);
    await expectEnd(child.pid!, server, grandchild);
  },
);

test("kills a server that ignores the end of its input, with all that it started", async () => {
  const connection = await connectMcp(stdioServer(["--immortal", "--child"]));
  const grandchild = Number(await call(connection.tools, "child"));
  await connection[Symbol.asyncDispose]();
  await expectEnd(connection.pid!, grandchild);
});

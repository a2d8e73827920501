import { expect, test as base } from "vitest";

import { connectMcp, type ConnectOptions } from "../src/index.ts";
import { isRunning, stdioServer } from "./support/processes.ts";
import { call } from "./support/tools.ts";

const test = base.extend("connect", async ({}, { onCleanup }) => {
  const stack = new AsyncDisposableStack();
  onCleanup(() => stack.disposeAsync());
  return async (faults: readonly string[] = [], options: ConnectOptions = {}) =>
    stack.use(await connectMcp(stdioServer(faults), options));
});

test("gives each rollout its own server, and ends the server when it is disposed", async ({
  connect,
}) => {
  const [left, right] = await Promise.all([connect(["--garbage"]), connect(["--flood"])]);
  expect(await call(left.tools, "count")).toBe("1");
  expect(await call(left.tools, "count")).toBe("2");
  expect(await call(right.tools, "count")).toBe("1");
  await left[Symbol.asyncDispose]();
  expect(isRunning(left.pid!)).toBe(false);
  await expect(call(left.tools, "count")).rejects.toThrow("was closed");
  expect(await right.call("count")).toBe("2");
  await expect(right.call("fail")).rejects.toThrow("The disk is full.");
});

test("passes a server only PATH and the variables that the author names", async ({ connect }) => {
  const { tools } = await connect();
  const variables = JSON.parse(String(await call(tools, "env"))) as object;
  expect(Object.keys(variables).sort()).toEqual(["API_KEY", "PATH"]);
  expect(variables).toMatchObject({ API_KEY: "***" });
});

test("names a program that cannot be started", async () => {
  await expect(connectMcp({ command: "no-such-program" })).rejects.toThrow(
    /^The MCP server `no-such-program` could not be reached: spawn no-such-program ENOENT\.$/u,
  );
});

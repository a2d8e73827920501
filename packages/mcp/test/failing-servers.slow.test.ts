import { assistantMessage, defineEnvironment, evaluate, policy, RolloutError } from "@envs/core";
import { expect, test as base } from "vitest";

import { connectMcp, type ConnectOptions, mcpTools } from "../src/index.ts";
import { isRunning, stdioServer } from "./support/processes.ts";
import { call } from "./support/tools.ts";

const test = base.extend("connect", async ({}, { onCleanup }) => {
  const stack = new AsyncDisposableStack();
  onCleanup(() => stack.disposeAsync());
  return async (faults: readonly string[] = [], options: ConnectOptions = {}) =>
    stack.use(await connectMcp(stdioServer(faults), options));
});

test("fails the rollout when its server dies", async ({ connect }) => {
  const { tools } = await connect();
  const error = await call(tools, "die").catch((problem: unknown) => problem);
  expect(error).toBeInstanceOf(RolloutError);
  expect(error).toMatchObject({
    code: "tool",
    message:
      "The MCP server `node stdio-server.ts` exited with code 7. Its last output: dying with ***",
  });
});

test("reports why a server has not started, without its secrets", async ({ connect }) => {
  await expect(connect(["--crash"])).rejects.toThrow(
    "The MCP server `node stdio-server.ts` exited with code 3. Its last output: Cannot start: *** is not a valid key.",
  );
});

test("times out for a server that never answers", async ({ connect }) => {
  await expect(connect(["--silent"], { startTimeout: 1500 })).rejects.toThrow(
    "did not start within 1.5 s",
  );
});

test("ends a server that writes without a line break", async ({ connect }) => {
  await expect(connect(["--endless"])).rejects.toThrow(
    "sent a message of more than 10485760 bytes",
  );
});

test("starts a shared server again after it has died", async ({ onTestFinished }) => {
  const toolset = mcpTools(stdioServer());
  onTestFinished(() => toolset[Symbol.asyncDispose]());
  const tools = await toolset();
  await call(tools, "grow");
  expect(Object.keys(await toolset())).toContain("grown");
  await expect(call(tools, "die")).rejects.toThrow("exited with code 7");
  expect(await call(tools, "count")).toBe("1");
  expect(Object.keys(await toolset())).not.toContain("grown");
});

test("starts more servers than this machine has processors, and ends them", async () => {
  const connections = await Promise.all(
    Array.from({ length: 16 }, () => connectMcp(stdioServer())),
  );
  const counts = await Promise.all(connections.map(({ tools }) => call(tools, "count")));
  expect(counts).toEqual(Array.from({ length: 16 }, () => "1"));
  await Promise.all(connections.map((connection) => connection[Symbol.asyncDispose]()));
  expect(connections.filter(({ pid }) => isRunning(pid!))).toEqual([]);
});

test("cancels a start when the rollout is cancelled", async () => {
  const controller = new AbortController();
  const start = connectMcp(stdioServer(["--silent"]), { signal: controller.signal });
  setTimeout(() => controller.abort(new Error("The rollout was cancelled.")), 200);
  await expect(start).rejects.toThrow("The rollout was cancelled.");
});

test("fails only the rollout whose server has died", async () => {
  const environment = defineEnvironment({
    name: "mortal",
    dataset: () => [{ prompt: "die" }, { prompt: "count" }],
    setup: async ({ signal }) => ({ server: await connectMcp(stdioServer(), { signal }) }),
    tools: ({ state }) => state.server.tools,
    rubric: { done: () => 1 },
    policies: {
      caller: ({ example, turns }) =>
        turns > 0
          ? assistantMessage("Done.")
          : {
              ...assistantMessage(""),
              tool_calls: [
                { id: "1", type: "function", function: { name: example.prompt, arguments: "{}" } },
              ],
            },
    },
  });
  const { rollouts } = await evaluate(environment(), {
    model: policy("caller"),
    rolloutsPerExample: 1,
  });
  const byPrompt = Object.fromEntries(rollouts.map((rollout) => [rollout.example.prompt, rollout]));
  expect(byPrompt.count).toMatchObject({ status: "scored", reward: 1 });
  expect(byPrompt.die).toMatchObject({
    status: "failed",
    error: { code: "tool", message: expect.stringContaining("exited with code 7") },
  });
  expect(JSON.stringify(rollouts)).not.toContain("sk-secret");
});

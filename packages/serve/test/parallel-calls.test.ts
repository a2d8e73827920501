import { defineEnvironment } from "@envs/core";
import { describe, expect } from "vitest";
import * as z from "zod";

import { orsClient } from "./support/ors-client.ts";
import { test } from "./support/test-server.ts";

const sums = defineEnvironment({
  name: "sums",
  dataset: () => [{ prompt: "Add." }],
  tools: {
    add: {
      description: "Adds",
      input: z.object({ a: z.number(), b: z.number() }),
      execute: ({ a, b }) => a + b,
    },
  },
  episode: { maxTurns: 2 },
  rubric: { length: ({ turns }) => turns },
});

const add = (a: number, b: number) => ({ tool_name: "add", arguments: { a, b } });

describe("over OpenEnv, several tool calls", () => {
  test("are one turn", async ({ startServer }) => {
    const { openSocket } = await startServer([sums()]);
    const socket = await openSocket();
    await socket.reset();
    const first = await socket.step({ type: "call_tools", calls: [add(1, 2), add(3, 4)] });
    expect(first?.data).toMatchObject({
      done: false,
      observation: {
        results: [
          { tool_name: "add", result: "3" },
          { tool_name: "add", result: "7" },
        ],
      },
    });
    const last = await socket.step({ type: "call_tools", calls: [add(5, 6)] });
    expect(last?.data).toMatchObject({ done: true, reward: 2 });
  });

  test("are rejected together if one is invalid", async ({ startServer }) => {
    const { openSocket } = await startServer([sums()]);
    const socket = await openSocket();
    await socket.reset();
    const respond = { tool_name: "respond", arguments: { text: "7" } };
    for (const [call, type] of [
      [respond, "invalid_args"],
      [{ tool_name: "fly" }, "tool_not_found"],
    ] as const) {
      const step = await socket.step({ type: "call_tools", calls: [add(1, 2), call] });
      expect(step?.data).toMatchObject({ observation: { error: { error_type: type } } });
    }
  });
});

describe("a reply that a token limit cut", () => {
  test("truncates the episode over OpenEnv", async ({ startServer }) => {
    const define = defineEnvironment({
      name: "one",
      dataset: () => [{ prompt: "Write." }],
      rubric: { cut: ({ isTruncated }) => Number(isTruncated) },
    });
    const { openSocket } = await startServer([define()]);
    const socket = await openSocket();
    await socket.reset();
    const last = await socket.step({ text: "The answ", metadata: { is_truncated: true } });
    expect(last?.data).toMatchObject({ reward: 1, observation: { is_truncated: true } });
  });

  test("truncates the episode over ORS", async ({ startServer }) => {
    const { url } = await startServer([sums()]);
    const client = orsClient({ url }, "cut");
    await client.post("/create", { split: "train", index: 0 });
    const body = { name: "respond", input: { text: "The answ" }, is_truncated: true };
    const { text } = await client.post("/sums/call", body);
    expect(text).toContain('"is_truncated":true');
  });
});

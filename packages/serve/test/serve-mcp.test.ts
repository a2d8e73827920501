import { PassThrough } from "node:stream";

import { defineEnvironment, end, imagePart, tool } from "@envs/core";
import {
  Client,
  StreamableHTTPClientTransport,
  type CallToolResult,
} from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { describe, expect, test as base } from "vitest";
import * as z from "zod";

import { serveMcp } from "../src/index.ts";

const vault = defineEnvironment({
  name: "vault",
  description: "Opens vaults.",
  systemPrompt: "Open the vault.",
  dataset: () => ({ train: [1, 2, 3].map((code) => ({ prompt: `Vault ${code}.`, code })) }),
  setup: () => ({ isOpen: false }),
  tools: {
    look: {
      description: "Returns the code",
      input: z.object({}),
      execute: (_input, { example }) => ({ code: example.code }),
    },
    score: {
      description: "Opens the vault",
      input: z.object({ code: z.int() }),
      execute({ code }, { example, state }) {
        if (code === 0) throw new Error("The lock is broken.");
        state.isOpen = code === example.code;
        return end(state.isOpen ? "Open." : "Closed.");
      },
    },
  },
  rubric: { opened: ({ state }) => state.isOpen },
});

/** Each example has a door, whose tool has its name, and a picture. */
const doors = defineEnvironment({
  name: "doors",
  media: { kinds: ["image"] },
  dataset: () => [
    {
      prompt: [
        {
          role: "user" as const,
          content: [
            { type: "text" as const, text: "Open it." },
            imagePart("data:image/gif;base64,R0lGODlhAQABAAAAACw="),
          ],
        },
      ],
      door: "red",
    },
  ],
  tools: ({ example }) => ({
    [`open_${example.door}`]: tool({
      description: "Opens the door",
      input: z.object({}),
      execute: () => end(),
    }),
  }),
  rubric: { opened: () => 1 },
});

const test = base
  .extend("stack", async ({}, { onCleanup }) => {
    const stack = new AsyncDisposableStack();
    onCleanup(() => stack.disposeAsync());
    return stack;
  })
  .extend("url", async ({ stack }) => {
    const serving = await serveMcp(vault(), {
      transport: { port: 0 },
      log: () => undefined,
      sessions: 2,
    });
    stack.defer(() => serving.close());
    return serving.url!;
  })
  .extend("connect", async ({ stack, url }) => async (address = url) => {
    const client = new Client(
      { name: "test", version: "1" },
      { versionNegotiation: { mode: "auto" } },
    );
    stack.defer(() => client.close());
    await client.connect(new StreamableHTTPClientTransport(new URL(address)));
    return caller(client);
  });

/** Calls tools of a client, and returns texts. */
function caller(client: Pick<Client, "callTool" | "listTools" | "getInstructions">) {
  const call = async (name: string, input: object = {}): Promise<CallToolResult> =>
    client.callTool({ name, arguments: { ...input } });
  const textOf = ({ content }: CallToolResult): string =>
    content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
  const text = async (name: string, input?: object) => textOf(await call(name, input));
  const start = async (input?: object) => {
    const result = await call("start", input);
    const { episode } = result.structuredContent as { episode: string };
    return { episode, text: textOf(result) };
  };
  return { client, call, text, start };
}

describe("an environment as an MCP server", () => {
  test("it starts, plays and scores episodes side by side", async ({ connect }) => {
    const { client, start, text, call } = await connect();
    expect(client.getInstructions()).toContain("Opens vaults.");
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "start",
      "look",
      "score",
      "respond",
      "score_episode",
    ]);
    expect(tools[2]?.inputSchema).toMatchObject({ required: ["episode", "code"] });
    const first = await start({ index: 1 });
    const second = await start({ split: "train", index: 2 });
    expect(first.text).toMatch(/^Episode \w+ of vault\..*\nOpen the vault\.\n\nVault 2\.$/su);
    expect(await text("look", second)).toBe('{"code":3}');
    expect(await text("score", { episode: first.episode, code: 2 })).toBe(
      `Open.\nThe episode is over. Call score_episode with episode: "${first.episode}" for its reward.`,
    );
    const outcome = { reward: 1, scores: { opened: 1 }, stop_reason: "end", is_truncated: false };
    for (let time = 0; time < 2; time += 1)
      expect((await call("score_episode", first)).structuredContent).toEqual(outcome);
    expect(await call("score_episode", second)).toMatchObject({
      structuredContent: { reward: 0, is_truncated: true },
    });
  });

  test("it returns what a client must correct as results that are errors", async ({ connect }) => {
    const { call, start, text } = await connect();
    expect(await call("look", { episode: "x" })).toMatchObject({ isError: true });
    expect(await text("look")).toBe(
      "There is no episode null. Call start, and pass the id that it returns as episode.",
    );
    expect(await text("start", { split: "test" })).toContain('vault has no split "test"');
    expect(await text("start", { row: 1 })).toContain("The arguments do not fit");
    const { episode } = await start();
    expect(await text("paint", { episode })).toContain('There is no tool named "paint"');
    expect(await text("score", { episode, code: 0 })).toBe(
      "Error: score failed: The lock is broken.",
    );
    await start();
    expect(await text("start")).toContain("All 2 sessions are in use");
    await call("score_episode", { episode });
    expect(await text("look", { episode })).toBe(
      `Episode "${episode}" has been scored. Start another.`,
    );
  });

  test("it serves clients of the first SDK", async ({ stack, url }) => {
    const client = new OldClient({ name: "test", version: "1" });
    stack.defer(() => client.close());
    await client.connect(new OldTransport(new URL(url)) as never);
    const { start, text } = caller(client as never);
    expect(await text("look", await start({ index: 0 }))).toBe('{"code":1}');
  });

  test("it lists the tools of an episode at its start, with its images", async ({
    connect,
    stack,
  }) => {
    const serving = await serveMcp(doors(), { transport: { port: 0 }, log: () => undefined });
    stack.defer(() => serving.close());
    const { client, start, text } = await connect(serving.url!);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["start", "call_tool", "respond", "score"]);
    const { episode, text: opening } = await start();
    expect(opening).toContain("Open it.\n[image]\nIts tools, for call_tool:");
    expect(opening).toContain('"name":"open_red"');
    expect(await text("call_tool", { episode, name: "open_red" })).toContain("The episode is over");
    expect(await text("score", { episode })).toContain('"reward":1');
  });

  test("it rejects pages of other sites and other paths", async ({ url }) => {
    const init = { method: "POST", body: "{}" };
    const foreign = await fetch(url, { ...init, headers: { origin: "https://example.com" } });
    expect(foreign.status).toBe(403);
    expect((await fetch(new URL("/", url), init)).status).toBe(404);
  });

  test("it ends when the client closes standard input", async () => {
    const input = new PassThrough();
    const output = new PassThrough();
    const serving = await serveMcp(vault(), {
      transport: { input, output },
      log: () => undefined,
    });
    const request = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
    const params = {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "t", version: "1" },
    };
    input.write(`${JSON.stringify({ ...request, id: 0, method: "initialize", params })}\n`);
    input.write(`${JSON.stringify(request)}\n`);
    const lines = await new Promise<string[]>((resolve) => {
      let text = "";
      output.on("data", (chunk: Buffer) => {
        text += chunk.toString();
        const lines = text.split("\n").slice(0, -1);
        if (lines.length === 2) resolve(lines);
      });
    });
    expect(lines.map((line) => (JSON.parse(line) as { id: number }).id)).toEqual([0, 1]);
    input.end();
    await serving.closed;
    await serving.close();
  });
});

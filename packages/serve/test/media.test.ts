import { defineEnvironment, filePart, imagePart } from "@envs/core";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { expect, test } from "vitest";
import * as z from "zod";

import { nemoRows, serve } from "../src/index.ts";
import { nemoClient, rowOf } from "./support/nemo-client.ts";
import { OpenenvSocket } from "./support/openenv-socket.ts";
import { orsClient } from "./support/ors-client.ts";

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
);
const data = png.toString("base64");
const picture = imagePart(png);
const pixel = { type: "image", data, mimeType: "image/png" };
const question = { type: "text", text: "Which color?" } as const;

/** A prompt with a picture, and tools that return another, a file, and a link. */
const colors = defineEnvironment({
  name: "colors",
  media: { kinds: ["image", "file"] },
  dataset: ({ config }) => [
    { prompt: config.isPlain ? "Which color?" : [{ role: "user", content: [question, picture] }] },
  ],
  config: z.object({ isPlain: z.boolean().default(false) }),
  tools: {
    zoom: {
      description: "Shows a detail",
      input: z.object({}),
      execute: () => [{ type: "text" as const, text: "A detail:" }, picture],
    },
    manual: {
      description: "Returns the manual",
      input: z.object({}),
      execute: () => [filePart("manual.txt", Buffer.from("Press."), "text/plain")],
    },
    link: {
      description: "Returns a link",
      input: z.object({}),
      execute: () => [imagePart("https://example.com/a.png")],
    },
  },
  rubric: { done: () => 1 },
});

test("ORS carries images of prompts and tool results, and refuses other parts", async () => {
  await using server = await serve([colors()], { port: 0 });
  const { post, get, call } = orsClient(server, "a");
  await post("/create", { split: "train", index: 0 });
  expect((await get("/colors/prompt")).json).toEqual([question, pixel]);
  const { output } = await call("/colors/call", "zoom", {});
  expect(output!.blocks).toEqual([{ type: "text", text: "A detail:" }, pixel]);
  for (const name of ["manual", "link"])
    await expect(call("/colors/call", name, {})).rejects.toThrow("ORS cannot carry");
});

test("OpenEnv carries all parts beside their labels", async () => {
  await using server = await serve([colors()], { port: 0 });
  await using client = await OpenenvSocket.open(server.url);
  client.send({ type: "reset", data: { index: 0 } });
  expect((await client.next())!.data).toMatchObject({
    observation: {
      text: "Which color?\n[image: image/png, 70 bytes]",
      content: [question, picture],
    },
  });
  client.send({ type: "step", data: { type: "call_tool", tool_name: "manual" } });
  expect((await client.next())!.data).toMatchObject({
    observation: {
      result: "[file: manual.txt, text/plain, 6 bytes]",
      content: [{ type: "file", file: { filename: "manual.txt" } }],
    },
  });
});

test("MCP carries images, links and files of tool results", async () => {
  await using server = await serve([colors({ isPlain: true })], { port: 0 });
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`)));
  const contentOf = async (name: string) => (await client.callTool({ name })).content;
  expect(await contentOf("zoom")).toEqual([{ type: "text", text: "A detail:" }, pixel]);
  const link = { type: "resource_link", uri: "https://example.com/a.png", name: "image" };
  expect(await contentOf("link")).toEqual([link]);
  const blob = Buffer.from("Press.").toString("base64");
  expect(await contentOf("manual")).toEqual([
    { type: "resource", resource: { uri: "file:///manual.txt", mimeType: "text/plain", blob } },
  ]);
  await client.close();
});

test("MCP refuses a prompt with an image, because instructions are text", async () => {
  await using server = await serve([colors()], { port: 0 });
  const client = new Client({ name: "test", version: "1.0.0" });
  const transport = new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`));
  await expect(client.connect(transport)).rejects.toThrow("MCP's instructions");
});

test("a row of NeMo Gym carries the image of its prompt", async () => {
  const [row] = await Array.fromAsync(nemoRows(colors()));
  expect(row!.responses_create_params.input).toEqual([
    {
      role: "user",
      content: [
        { type: "input_text", text: "Which color?" },
        { type: "input_image", image_url: picture.image_url.url, detail: "auto" },
      ],
    },
  ]);
});

test("NeMo Gym refuses an image in a tool's output", async () => {
  await using server = await serve([colors()], { port: 0 });
  const { post } = nemoClient(server, "colors");
  await post("seed_session", rowOf(0));
  const { status, text } = await post("zoom");
  expect([status, text]).toEqual([422, expect.stringContaining("tool output of NeMo Gym")]);
});

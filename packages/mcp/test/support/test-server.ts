import { setTimeout as sleep } from "node:timers/promises";

import { McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";

/** The smallest PNG. */
export const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Counts of calls of `wait`, for tests with the server in their process. */
export const waits = { started: 0, cancelled: 0 };

const text = (text: string) => ({ content: [{ type: "text" as const, text }] });

/** A server of the official SDK with a tool for each kind of result. */
export function testServer(): McpServer {
  const server = new McpServer({ name: "test", version: "1.0.0" });
  let count = 0;
  server.registerTool(
    "add",
    {
      description: "Adds two numbers",
      inputSchema: z.object({ a: z.number().describe("The first"), b: z.int().max(9) }),
      annotations: { readOnlyHint: true },
    },
    async ({ a, b }) => text(String(a + b)),
  );
  server.registerTool("count", { description: "Counts its calls" }, async () =>
    text(String((count += 1))),
  );
  server.registerTool("structured", { outputSchema: z.object({ n: z.number() }) }, async () => ({
    content: [],
    structuredContent: { n: 1 },
  }));
  server.registerTool("image", {}, async () => ({
    content: [
      { type: "text", text: "A pixel" },
      { type: "image", data: pixel, mimeType: "image/png" },
    ],
  }));
  server.registerTool("audio", {}, async () => ({
    content: [{ type: "audio", data: "AAAA", mimeType: "audio/mpeg" }],
  }));
  server.registerTool("resources", {}, async () => ({
    content: [
      { type: "resource_link", uri: "file:///a.txt", name: "a", mimeType: "text/plain" },
      { type: "resource", resource: { uri: "file:///b.txt", text: "b's text" } },
    ],
  }));
  server.registerTool("blobs", {}, async () => ({
    content: [
      {
        type: "resource",
        resource: { uri: "f:///c.pdf", mimeType: "application/pdf", blob: "AA" },
      },
      { type: "resource", resource: { uri: "f:///d.png", mimeType: "image/png", blob: pixel } },
    ],
  }));
  server.registerTool("fail", {}, async () => ({ ...text("The disk is full."), isError: true }));
  server.registerTool("throw", {}, async () => {
    throw new Error("The tool has a bug.");
  });
  server.registerTool("pid", {}, async () => text(String(process.pid)));
  server.registerTool("env", {}, async () => text(JSON.stringify(process.env)));
  server.registerTool("die", {}, async () => {
    process.stderr.write(`dying with ${process.env.API_KEY}\n`);
    setTimeout(() => process.exit(7), 20);
    await sleep(600_000);
    return text("");
  });
  server.registerTool("wait", {}, async (context) => {
    waits.started += 1;
    await sleep(600_000, undefined, { signal: context.mcpReq.signal }).catch(() => {
      waits.cancelled += 1;
    });
    return text("");
  });
  server.registerTool("grow", {}, async () => {
    server.registerTool("grown", {}, async () => text("grown"));
    return text("One more.");
  });
  return server;
}

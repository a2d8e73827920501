import { type Content, textOf } from "@envs/core";
import { mediaParts, messageOf } from "@envs/core/engine";
import { badRequest, type HttpReply, json, parseBody } from "@envs/models/server";
import * as z from "zod";

import type { AgentTools } from "./agent/agent-tools.ts";

/** The revisions of MCP whose messages the gateway sends, the newest first. */
const versions = ["2025-11-25", "2025-06-18", "2025-03-26"];

const message = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string(),
  params: z
    .looseObject({
      protocolVersion: z.string().optional(),
      name: z.string().optional(),
      arguments: z.record(z.string(), z.unknown()).nullish(),
    })
    .optional(),
});

type Message = z.output<typeof message>;

/**
 * Answers a message of an MCP client with the environment's tools, over streamable HTTP without sessions and streams. Tools that
 * fail have results that describe the error, because the environment describes it to the model.
 */
export async function answerMcp(body: Buffer, tools: AgentTools): Promise<HttpReply> {
  const parsed = message.safeParse(parseBody(body));
  if (!parsed.success) throw badRequest(parsed.error);
  const { id, method } = parsed.data;
  // A notification has no answer.
  if (id === undefined) return { status: 202, headers: {}, body: "" };
  const reply = (rest: object): HttpReply => json(200, { jsonrpc: "2.0", id, ...rest });
  switch (method) {
    case "initialize":
      return reply({ result: initializeResult(parsed.data) });
    case "ping":
      return reply({ result: {} });
    case "tools/list":
      return reply({ result: { tools: Object.entries(tools).map(listedTool) } });
    case "tools/call":
      return reply(await callTool(parsed.data, tools));
    default:
      return reply({ error: { code: -32_601, message: `Unknown method ${method}.` } });
  }
}

function initializeResult({ params }: Message): object {
  const requested = params?.protocolVersion ?? "";
  return {
    protocolVersion: versions.includes(requested) ? requested : versions[0],
    capabilities: { tools: {} },
    serverInfo: { name: "envs", version: "1" },
  };
}

function listedTool([name, { description, parameters }]: [string, AgentTools[string]]): object {
  return { name, description, inputSchema: { ...parameters, type: "object" } };
}

async function callTool({ params }: Message, tools: AgentTools): Promise<object> {
  const { name = "", arguments: input } = params ?? {};
  if (!Object.hasOwn(tools, name))
    return { error: { code: -32_602, message: `There is no tool named ${JSON.stringify(name)}.` } };
  try {
    return { result: { content: blocksOf(await tools[name]!.execute(input ?? {})) } };
  } catch (error) {
    return { result: { isError: true, content: blocksOf(messageOf(error)) } };
  }
}

/** MCP has images in another format than chat completions. Results with files are their text. */
function blocksOf(content: Content): readonly object[] {
  const images = mediaParts(content).flatMap((part) => {
    const [, mimeType, data] =
      (part.type === "image_url" && /^data:([^;]+);base64,(.*)$/su.exec(part.image_url.url)) || [];
    return data === undefined ? [] : [{ type: "image", mimeType, data }];
  });
  return [{ type: "text", text: textOf(content) }, ...images];
}

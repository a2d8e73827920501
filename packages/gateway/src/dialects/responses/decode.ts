import {
  type AssistantMessage,
  type ContentPart,
  type Message,
  textOf,
  type ToolCall,
} from "@envs/core";
import { type ReplyFormat, type ToolChoice, type ToolSpec } from "@envs/core/engine";
import { assistantFrom } from "@envs/models";

import { contentOf } from "../media.ts";
import { type OfferedTool, offeredTools } from "./namespaces.ts";
import type { InputItem, InputPart, ResponsesRequest } from "./schema.ts";

/** Converts input items to messages. Reasoning, text and function calls of one reply become one message. */
export function messagesOf(
  instructions: string | null | undefined,
  items: readonly InputItem[],
  offered: readonly OfferedTool[],
): readonly Message[] {
  const messages: Message[] = instructions ? [{ role: "system", content: instructions }] : [];
  let reply: ReplyParts | undefined;
  const finish = (): void => {
    if (reply !== undefined) messages.push(assistantOf(reply));
    reply = undefined;
  };
  for (const item of items) {
    if (item.type === "reasoning") {
      if (reply !== undefined && (reply.content !== "" || reply.calls.length > 0)) finish();
      reply ??= newReply();
      reply.reasoning += item.summary.map((part) => part.text).join("\n\n");
    } else if (item.type === "function_call") {
      const { call_id: id, arguments: input } = item;
      const isCalled = ({ tool, namespace }: OfferedTool): boolean =>
        tool.name === item.name && namespace === (item.namespace ?? undefined);
      const name = offered.find(isCalled)?.offeredName ?? item.name;
      reply ??= newReply();
      reply.calls.push({ id, type: "function", function: { name, arguments: input } });
    } else if (item.type === "message" && item.role === "assistant") {
      if (reply !== undefined && (reply.content !== "" || reply.calls.length > 0)) finish();
      reply ??= newReply();
      reply.content = textOf(contentOf(partsOf(item.content), "input"));
    } else if (item.type !== "item_reference") {
      finish();
      messages.push(inputMessage(item));
    }
  }
  finish();
  return messages;
}

interface ReplyParts {
  content: string;
  reasoning: string;
  readonly calls: ToolCall[];
}

function newReply(): ReplyParts {
  return { content: "", reasoning: "", calls: [] };
}

function assistantOf({ content, reasoning, calls }: ReplyParts): AssistantMessage {
  return assistantFrom({ content, reasoning, toolCalls: calls });
}

type OtherItem = Extract<InputItem, { type: "message" | "function_call_output" }>;

function inputMessage(item: OtherItem): Message {
  if (item.type === "function_call_output") {
    const content = contentOf(partsOf(item.output), "input");
    return { role: "tool", tool_call_id: item.call_id, content };
  }
  const content = contentOf(partsOf(item.content), "input");
  return item.role === "user"
    ? { role: "user", content }
    : { role: "system", content: textOf(content) };
}

function partsOf(content: string | readonly InputPart[]): readonly ContentPart[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return content.map((part): ContentPart => {
    if (part.type === "input_image")
      return { type: "image_url", image_url: { url: part.image_url } };
    if (part.type === "input_file") {
      const { file_data, filename } = part;
      return { type: "file", file: { file_data, filename } };
    }
    return { type: "text", text: part.type === "refusal" ? part.refusal : part.text };
  });
}

/** The functions that the agent offers; `undefined` without any. */
export function toolsOf(request: ResponsesRequest): readonly ToolSpec[] | undefined {
  const functions = offeredTools(request).map(({ offeredName: name, tool }) => ({
    name,
    description: tool.description ?? "",
    parameters: tool.parameters ?? { type: "object" },
  }));
  return functions.length === 0 ? undefined : functions;
}

export function toolChoiceOf({ tool_choice: choice }: ResponsesRequest): ToolChoice | undefined {
  if (typeof choice === "object" && choice !== null) return { name: choice.name };
  return choice ?? undefined;
}

export function formatOf({ text: options }: ResponsesRequest): ReplyFormat | undefined {
  const format = options?.format;
  if (!format || format.type === "text") return undefined;
  if (format.type === "json_object") return { type: "json" };
  return { type: "schema", name: format.name, schema: format.schema };
}

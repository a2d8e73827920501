import { type ContentPart, type Message, type ToolCall, userMessage } from "@envs/core";
import { type ReplyFormat, type ToolChoice, type ToolSpec } from "@envs/core/engine";
import { assistantFrom } from "@envs/models";

import { contentOf, mediaPart } from "../media.ts";
import { toolArguments } from "../tool-input.ts";
import { jsonSchemaOf } from "./json-schema.ts";
import { textsOf } from "./parts.ts";
import type { GeminiRequest, Part, WireContent } from "./schema.ts";

/** Converts a conversation of Gemini's API. Its calls may lack ids, and results then follow the order of the calls. */
export function messagesOf({ systemInstruction, contents }: GeminiRequest): readonly Message[] {
  const messages: Message[] = [];
  if (systemInstruction)
    messages.push({
      role: "system",
      content: systemInstruction.parts.map(({ text }) => text ?? "").join("\n\n"),
    });
  let open: ToolCall[] = [];
  for (const [index, content] of contents.entries()) {
    if (content.role === "model") {
      const toolCalls = toolCallsOf(content, index);
      messages.push(assistantFrom({ ...textsOf(content.parts), toolCalls }));
      open = [...toolCalls];
    } else messages.push(...userMessages(content, open, `contents.${index}`));
  }
  return messages;
}

function toolCallsOf({ parts }: WireContent, index: number): ToolCall[] {
  return parts
    .flatMap(({ functionCall }) => functionCall ?? [])
    .map(({ id, name, args }, position) => ({
      id: id ?? `call_${index}_${position}`,
      type: "function",
      function: { name, arguments: toolArguments(args) },
    }));
}

function userMessages({ parts }: WireContent, open: ToolCall[], field: string): readonly Message[] {
  const messages: Message[] = [];
  const rest: ContentPart[] = [];
  for (const part of parts) {
    const result = part.functionResponse;
    if (!result) {
      rest.push(...partOf(part));
      continue;
    }
    const position = open.findIndex((call) =>
      result.id ? call.id === result.id : call.function.name === result.name,
    );
    const [call] = position === -1 ? [] : open.splice(position, 1);
    const id = call?.id ?? result.id ?? result.name;
    messages.push({ role: "tool", tool_call_id: id, content: resultText(result) });
  }
  return rest.length === 0 ? messages : [...messages, userMessage(contentOf(rest, field))];
}

/** The keys of results that are text: of Gemini's documentation, and of the AI SDK, which adds the name of the function. */
const textKeys = new Set(["output", "result", "error", "content"]);

/** Gemini wants an object as the result. */
function resultText({ name, response }: NonNullable<Part["functionResponse"]>): string {
  const fields = response ?? {};
  const keys = Object.keys(fields).filter((key) => key !== "name" || fields[key] !== name);
  const value = keys.length === 1 && textKeys.has(keys[0]!) ? fields[keys[0]!] : undefined;
  return typeof value === "string" ? value : JSON.stringify(fields);
}

function partOf({ text, inlineData, fileData }: Part): readonly ContentPart[] {
  if (inlineData) return [mediaPart(inlineData.mimeType, inlineData.data)];
  if (fileData) return [{ type: "image_url", image_url: { url: fileData.fileUri } }];
  return text ? [{ type: "text", text }] : [];
}

/** The functions that the agent declares; `undefined` without any. Tools that Google executes are not offered. */
export function toolsOf({ tools }: GeminiRequest): readonly ToolSpec[] | undefined {
  const functions = (tools ?? [])
    .flatMap(({ functionDeclarations }) => functionDeclarations ?? [])
    .map(({ name, description, parameters, parametersJsonSchema }) => ({
      name,
      description: description ?? "",
      parameters:
        parametersJsonSchema ?? (parameters ? jsonSchemaOf(parameters) : { type: "object" }),
    }));
  return functions.length === 0 ? undefined : functions;
}

export function toolChoiceOf({ toolConfig }: GeminiRequest): ToolChoice | undefined {
  const { mode, allowedFunctionNames: names } = toolConfig?.functionCallingConfig ?? {};
  if (mode === "NONE") return "none";
  if (mode !== "ANY") return undefined;
  return names?.length === 1 ? { name: names[0]! } : "required";
}

export function formatOf({ generationConfig }: GeminiRequest): ReplyFormat | undefined {
  const { responseMimeType, responseSchema, responseJsonSchema } = generationConfig ?? {};
  const schema = responseJsonSchema ?? (responseSchema && jsonSchemaOf(responseSchema));
  if (schema) return { type: "schema", name: "reply", schema };
  return responseMimeType === "application/json" ? { type: "json" } : undefined;
}

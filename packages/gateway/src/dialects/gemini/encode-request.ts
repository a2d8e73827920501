import type { AssistantMessage, Content, ContentPart, Message, ModelRequest } from "@envs/core";
import { mergeSampling, type ToolChoice } from "@envs/core/engine";
import { mediaInUserMessages, type ServerOptions } from "@envs/models";
import type { Content as WireContent, FunctionDeclaration, Part } from "@google/genai";

import { mediaSource } from "../media.ts";
import { splitSystem } from "../system.ts";
import { toolInput } from "../tool-input.ts";

/** A request on the wire. The official client has no type for such a request. */
interface WireRequest {
  readonly contents: readonly WireContent[];
  readonly systemInstruction?: WireContent;
  readonly tools?: readonly { readonly functionDeclarations: readonly FunctionDeclaration[] }[];
  readonly toolConfig?: {
    readonly functionCallingConfig: {
      readonly mode: string;
      readonly allowedFunctionNames?: readonly string[];
    };
  };
  readonly generationConfig?: Readonly<Record<string, unknown>>;
}

/** Gemini 3 requires its signature beside each call. Google documents this value for calls that another model made. */
const unsigned = "skip_thought_signature_validator";

/** Writes a request in the format of Gemini's generateContent. */
export function geminiBody(
  { messages, tools, toolChoice, format, sampling }: ModelRequest,
  { sampling: defaults, keepReasoning = false }: ServerOptions,
): WireRequest {
  const { temperature, topP, maxTokens: maxOutputTokens, stop } = mergeSampling(defaults, sampling);
  const { system, rest } = splitSystem(messages);
  const options = {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(stop && { stopSequences: stop }),
    ...(format && { responseMimeType: "application/json" }),
    ...(format?.type === "schema" && { responseJsonSchema: format.schema }),
  };
  return {
    contents: contentsOf(mediaInUserMessages(rest), keepReasoning),
    ...(system !== undefined && { systemInstruction: { parts: [{ text: system }] } }),
    ...(tools && {
      tools: [
        {
          functionDeclarations: tools.map(({ name, description, parameters }) => ({
            name,
            description,
            parametersJsonSchema: parameters,
          })),
        },
      ],
    }),
    ...(toolChoice && { toolConfig: { functionCallingConfig: callingOf(toolChoice) } }),
    ...(Object.keys(options).length > 0 && { generationConfig: options }),
  };
}

/** The results of a message's calls must be in one content. */
function contentsOf(messages: readonly Message[], keepReasoning: boolean): readonly WireContent[] {
  const contents: WireContent[] = [];
  const names = new Map<string, string>();
  let results: Part[] | undefined;
  for (const message of messages) {
    if (message.role === "tool") {
      const id = message.tool_call_id;
      if (results === undefined) contents.push({ role: "user", parts: (results = []) });
      const response = { output: message.content };
      results.push({ functionResponse: { id, name: names.get(id) ?? "unknown", response } });
      continue;
    }
    results = undefined;
    if (message.role === "assistant") {
      for (const { id, function: called } of message.tool_calls ?? []) names.set(id, called.name);
      contents.push({ role: "model", parts: replyParts(message, keepReasoning) });
    } else contents.push({ role: "user", parts: partsOf(message.content) });
  }
  return contents;
}

function replyParts(
  { content, reasoning_content: reasoning, tool_calls: calls = [] }: AssistantMessage,
  keepReasoning: boolean,
): Part[] {
  return [
    ...(keepReasoning && reasoning !== undefined ? [{ text: reasoning, thought: true }] : []),
    ...(content === "" && calls.length > 0 ? [] : [{ text: content }]),
    ...calls.map(({ id, function: { name, arguments: input } }) => ({
      functionCall: { id, name, args: { ...toolInput(input) } },
      thoughtSignature: unsigned,
    })),
  ];
}

function partsOf(content: Content): Part[] {
  return typeof content === "string" ? [{ text: content }] : content.map(partOf);
}

function partOf(part: ContentPart): Part {
  if (part.type === "text") return { text: part.text };
  const source = mediaSource(part);
  if ("url" in source) return { fileData: { fileUri: source.url } };
  return { inlineData: { mimeType: source.mediaType, data: source.base64 } };
}

function callingOf(choice: ToolChoice): {
  readonly mode: string;
  readonly allowedFunctionNames?: readonly string[];
} {
  if (typeof choice !== "string") return { mode: "ANY", allowedFunctionNames: [choice.name] };
  return { mode: choice === "required" ? "ANY" : choice.toUpperCase() };
}

import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4TextPart,
  LanguageModelV4ToolCallPart,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider";
import { type Content, type Message, textOf } from "@envs/core";
import { parseDataUrl, parseJson } from "@envs/core/engine";

import { mediaInUserMessages } from "../wire/tool-media.ts";

type FilePart<Data> = Omit<LanguageModelV4FilePart, "data"> & { data: Data };
type UserPart<Data> = LanguageModelV4TextPart | FilePart<Data>;

/** The message format that both versions of the interface share, except for the data of files. */
type PromptMessage<Data> =
  | Exclude<LanguageModelV4Message, { role: "user" | "assistant" | "tool" }>
  | { role: "user"; content: UserPart<Data>[] }
  | { role: "assistant"; content: (LanguageModelV4TextPart | LanguageModelV4ToolCallPart)[] }
  | {
      role: "tool";
      content: (Omit<LanguageModelV4ToolResultPart, "output"> & {
        output: { type: "text"; value: string };
      })[];
    };

/** Bytes in base64, or the URL of a file, in one version of the interface. */
export type FileData<Data> = (source: string | URL) => Data;

/** Converts a conversation to the prompt of the AI SDK. */
export function toPrompt<Data>(
  messages: readonly Message[],
  fileData: FileData<Data>,
): PromptMessage<Data>[] {
  const toolNames = new Map<string, string>();
  // Many providers write the images of a tool result as JSON text.
  return mediaInUserMessages(messages).map((message): PromptMessage<Data> => {
    switch (message.role) {
      case "system":
        return { role: "system", content: message.content };
      case "user":
        return { role: "user", content: userParts(message.content, fileData) };
      case "tool": {
        const toolCallId = message.tool_call_id;
        const output = { type: "text", value: textOf(message.content) } as const;
        const toolName = toolNames.get(toolCallId) ?? "unknown";
        return { role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output }] };
      }
      case "assistant": {
        const calls = message.tool_calls ?? [];
        for (const { id, function: called } of calls) toolNames.set(id, called.name);
        return {
          role: "assistant",
          content: [
            ...(message.content === "" ? [] : [{ type: "text", text: message.content } as const]),
            ...calls.map(({ id, function: called }) => ({
              type: "tool-call" as const,
              toolCallId: id,
              toolName: called.name,
              input: parseJson(called.arguments) ?? called.arguments,
            })),
          ],
        };
      }
    }
  });
}

function userParts<Data>(content: Content, fileData: FileData<Data>): UserPart<Data>[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return content.map((part): UserPart<Data> => {
    switch (part.type) {
      case "text":
        return { type: "text", text: part.text };
      case "input_audio": {
        const { data, format } = part.input_audio;
        const mediaType = format === "mp3" ? "audio/mpeg" : `audio/${format}`;
        return { type: "file", data: fileData(data), mediaType };
      }
      case "file": {
        const { file_data: url, filename } = part.file;
        return { ...dataPart(url, fileData), filename };
      }
      case "image_url":
        return dataPart(part.image_url.url, fileData);
    }
  });
}

function dataPart<Data>(url: string, fileData: FileData<Data>): FilePart<Data> {
  const parsed = parseDataUrl(url);
  return parsed === undefined
    ? { type: "file", data: fileData(new URL(url)), mediaType: "image/*" }
    : { type: "file", data: fileData(parsed.base64), mediaType: parsed.mediaType };
}

import type { AssistantMessage } from "@envs/core";

import type { OutputItem, RowWithResponse } from "./schemas.ts";

/** A tool call of a Responses object. */
export interface FunctionCall {
  readonly id: string;
  readonly name: string;
  /** The JSON as the model wrote it, which may be invalid. */
  readonly arguments: string;
}

/** The model's last turn: all its output after the last tool output or user message. */
export interface ModelTurn {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly FunctionCall[];
  /** Whether the token limit cut the turn. */
  readonly isTruncated: boolean;
}

/** Reads the end of a Responses object. Agents send one turn, or all turns since the prompt. */
export function lastTurn({
  output,
  incomplete_details: details,
}: RowWithResponse["response"]): ModelTurn {
  const items = output.slice(output.findLastIndex((item) => !isModelOutput(item)) + 1);
  const calls = items
    .filter(({ type }) => type === "function_call")
    .map((call, index) => ({
      id: textOf(call.call_id) || textOf(call.id) || `call_${index}`,
      name: textOf(call.name),
      arguments: typeof call.arguments === "string" ? call.arguments : "{}",
    }));
  return {
    text: textOfItems(items, "message"),
    reasoning: textOfItems(items, "reasoning"),
    calls,
    isTruncated: details?.reason === "max_output_tokens",
  };
}

/** A turn as a message for an episode, without its calls. */
export function assistantMessage({
  text,
  reasoning,
}: Pick<ModelTurn, "text" | "reasoning">): AssistantMessage {
  const message: AssistantMessage = { role: "assistant", content: text };
  return reasoning === "" ? message : { ...message, reasoning_content: reasoning };
}

function isModelOutput({ type = "message", role = "assistant" }: OutputItem): boolean {
  return !type.endsWith("_output") && (type !== "message" || role === "assistant");
}

function textOfItems(items: readonly OutputItem[], itemType: "message" | "reasoning"): string {
  return items
    .filter(({ type = "message" }) => type === itemType)
    .map(({ content, summary }) => textOf(content) || textOf(summary))
    .join("");
}

/** The text of a content, which is a string or a list of parts. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return (content as readonly unknown[])
    .map((part) => (isContentPart(part) ? textOf(part.text) || textOf(part.refusal) : ""))
    .join("");
}

function isContentPart(
  part: unknown,
): part is { readonly text?: unknown; readonly refusal?: unknown } {
  return typeof part === "object" && part !== null;
}

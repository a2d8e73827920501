import type { AssistantMessage } from "@envs/core";

import type { Answered, OutputItem } from "./schemas.ts";

/** A tool call of the model, as a Responses object has it. */
export interface FunctionCall {
  readonly id: string;
  readonly name: string;
  /** Raw JSON text: it may be broken. */
  readonly arguments: string;
}

/** What the model said last: after all that came from tools and users. */
export interface ModelTurn {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly FunctionCall[];
  /** Whether the limit of tokens cut it short. */
  readonly isTruncated: boolean;
}

/** Reads the end of a Responses object; agents send one turn, or all turns since the prompt. */
export function lastTurn({ output, incomplete_details: details }: Answered["response"]): ModelTurn {
  const turn = output.slice(output.findLastIndex(isNotTheModels) + 1);
  const calls = turn
    .filter(({ type }) => type === "function_call")
    .map((call, place) => ({
      id: textIn(call.call_id) || textIn(call.id) || `call_${place}`,
      name: textIn(call.name),
      arguments: typeof call.arguments === "string" ? call.arguments : "{}",
    }));
  return {
    text: said(turn, "message"),
    reasoning: said(turn, "reasoning"),
    calls,
    isTruncated: details?.reason === "max_output_tokens",
  };
}

/** What the model said, without its calls, as a message of an episode. */
export function messageOf({
  text,
  reasoning,
}: Pick<ModelTurn, "text" | "reasoning">): AssistantMessage {
  return {
    role: "assistant",
    content: text,
    ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
  };
}

function isNotTheModels({ type = "message", role = "assistant" }: OutputItem): boolean {
  return type.endsWith("_output") || (type === "message" && role !== "assistant");
}

function said(turn: readonly OutputItem[], wanted: "message" | "reasoning"): string {
  return turn
    .filter(({ type = "message" }) => type === wanted)
    .map(({ content, summary }) => textIn(content) || textIn(summary))
    .join("");
}

/** The text of a content: itself, or that of its parts. */
function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return (content as readonly unknown[])
    .map((part) => (isPart(part) ? textIn(part.text) || textIn(part.refusal) : ""))
    .join("");
}

function isPart(part: unknown): part is { readonly text?: unknown; readonly refusal?: unknown } {
  return typeof part === "object" && part !== null;
}

import { type AssistantMessage, callTools, type Message, repliesOf, textOf } from "@envs/core";

import type { ToolCallInput } from "./research.ts";

/** Wraps a call in an assistant message. `turn` makes the call's id unique in the conversation. */
export function writeCall(call: ToolCallInput, turn: number): AssistantMessage {
  return callTools([[call.name, call.arguments]], turn);
}

/** The texts of all tool messages, in order. */
export function toolResults(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((message) => (message.role === "tool" ? [textOf(message.content)] : []));
}

/** A tool call of the model. */
export interface ParsedCall {
  readonly name: string;
  /** `undefined` if the text is not a JSON object. */
  readonly arguments: Readonly<Record<string, unknown>> | undefined;
  /** Equal for calls with the same tool and arguments, whatever the order of the arguments. */
  readonly key: string;
}

/** Parses all tool calls of a completion, also malformed ones. */
export function parseCalls(completion: readonly Message[]): readonly ParsedCall[] {
  return repliesOf(completion).flatMap(({ tool_calls = [] }) =>
    tool_calls.map(({ function: { name, arguments: text } }) => {
      const parsed = readObject(text);
      const sorted = parsed && Object.entries(parsed).toSorted(([a], [b]) => (a < b ? -1 : 1));
      return { name, arguments: parsed, key: keyOf(name, sorted) ?? JSON.stringify([name, text]) };
    }),
  );
}

/** Returns `undefined` without arguments, or if they are nested too deeply for `JSON.stringify`. */
function keyOf(name: string, sorted: readonly unknown[] | undefined): string | undefined {
  if (sorted === undefined) return undefined;
  try {
    return JSON.stringify([name, sorted]);
  } catch {
    return undefined;
  }
}

/** Counts the calls that repeat an earlier one. */
export function countRepeats(calls: readonly ParsedCall[]): number {
  return calls.length - new Set(calls.map((call) => call.key)).size;
}

/** The ids of the articles that the model opened or read. */
export function visitedIds(calls: readonly ParsedCall[]): ReadonlySet<unknown> {
  return new Set(
    calls.filter(({ name }) => name !== "search").map((call) => call.arguments?.["id"]),
  );
}

function readObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

import { type AssistantMessage, assistantMessages, type Message } from "@envs/core";

import type { Call } from "./research.ts";

/** A tool call as a model writes it. `turn` makes its id differ from those of other turns. */
export function writeCall(call: Call, turn: number): AssistantMessage {
  const { name } = call;
  const written = { name, arguments: JSON.stringify(call.arguments) };
  return {
    role: "assistant",
    content: "",
    tool_calls: [{ id: `call_${turn}`, type: "function", function: written }],
  };
}

/** What the tools said so far, in order. */
export function toolResults(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((message) => (message.role === "tool" ? [message.content] : []));
}

/** A tool call as it was made. */
export interface MadeCall {
  readonly name: string;
  /** Nothing if they were not a JSON object. */
  readonly arguments: Readonly<Record<string, unknown>> | undefined;
  /** The same for calls that ask the same. */
  readonly key: string;
}

/** All tool calls of a completion, broken ones too. */
export function madeCalls(completion: readonly Message[]): readonly MadeCall[] {
  return assistantMessages(completion).flatMap(({ tool_calls = [] }) =>
    tool_calls.map(({ function: { name, arguments: text } }) => {
      const parsed = readObject(text);
      const sorted = parsed && Object.entries(parsed).toSorted(([a], [b]) => (a < b ? -1 : 1));
      return { name, arguments: parsed, key: keyOf(name, sorted) ?? JSON.stringify([name, text]) };
    }),
  );
}

/** Nothing if there are no arguments, or they are nested deeper than JSON can be written. */
function keyOf(name: string, sorted: readonly unknown[] | undefined): string | undefined {
  if (sorted === undefined) return undefined;
  try {
    return JSON.stringify([name, sorted]);
  } catch {
    return undefined;
  }
}

/** How many calls asked again what an earlier one had asked. */
export function repeats(calls: readonly MadeCall[]): number {
  return calls.length - new Set(calls.map((call) => call.key)).size;
}

/** The ids of the articles that were opened or read. */
export function visited(calls: readonly MadeCall[]): ReadonlySet<unknown> {
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

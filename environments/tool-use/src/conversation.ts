import { type AssistantMessage, callTools, type Message, repliesOf } from "@envs/core";

import type { Call } from "./skill.ts";

/** Writes calls as one message. `turn` makes their ids unique in the conversation. */
export function writeCalls(calls: readonly Call[], turn = 0): AssistantMessage {
  return callTools(
    calls.map(({ name, arguments: input }) => [name, input]),
    turn,
  );
}

/** The calls of each message of the model that has any. Arguments that are not a JSON object are empty and never valid. */
export function callsByTurn(completion: readonly Message[]): readonly (readonly Call[])[] {
  return repliesOf(completion)
    .map(({ tool_calls: calls = [] }) =>
      calls.map(({ function: { name, arguments: text } }) => ({
        name,
        arguments: readObject(text) ?? { "": "not JSON" },
      })),
    )
    .filter((calls) => calls.length > 0);
}

function readObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text.trim() || "{}");
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

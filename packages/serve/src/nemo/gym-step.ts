import type { Message, ToolCall } from "@envs/core";

import type { ServedTools } from "../served-tools.ts";
import type { Session } from "../session.ts";
import { textOf } from "../text.ts";
import { type FunctionCall, messageOf, type ModelTurn } from "./model-turn.ts";
import { isOver } from "./verdict.ts";

/** What came of one turn of the model. */
export interface GymStep {
  /** What the environment said; `null` if only tools did. */
  readonly observation: string | null;
  /** An answer to each call, in order. */
  readonly toolOutputs: readonly { readonly call_id: string; readonly output: string }[];
}

/** Steps a session with all that the model said in one turn: its calls as one message, then what it said by `respond`. */
export async function gymStep(
  session: Session,
  tools: ServedTools,
  turn: ModelTurn,
): Promise<GymStep> {
  const { isTruncated } = turn;
  const own = turn.calls.filter(({ name }) => name !== tools.respond);
  const outputs = new Map<string, string>();
  const said: Message[] = [];
  if (own.length > 0 || turn.calls.length === 0) {
    const calls = own.length > 0 ? { tool_calls: own.map((call) => toolCall(call, tools)) } : {};
    const { messages } = await session.step({ ...messageOf(turn), ...calls }, { isTruncated });
    for (const message of messages)
      if (message.role === "tool") outputs.set(message.tool_call_id, message.content);
      else said.push(message);
  }
  for (const { id, arguments: written } of turn.calls.filter(
    ({ name }) => name === tools.respond,
  )) {
    const { messages } = await session.step(messageOf({ ...turn, text: textArgument(written) }), {
      isTruncated,
    });
    outputs.set(id, textOf(messages));
  }
  return {
    observation: said.length > 0 ? textOf(said) : null,
    toolOutputs: turn.calls.map(({ id }) => ({ call_id: id, output: outputs.get(id) || isOver })),
  };
}

/** A call by the environment's own name. One of no tool stays as it is: the episode tells the model so. */
function toolCall({ id, name, arguments: written }: FunctionCall, tools: ServedTools): ToolCall {
  return {
    id,
    type: "function",
    function: { name: tools.ownName(name) ?? name, arguments: written },
  };
}

/** What `respond` was given; if the model wrote no such argument, what it wrote. */
function textArgument(written: string): string {
  try {
    const { text } = JSON.parse(written) as { readonly text?: unknown };
    return typeof text === "string" ? text : written;
  } catch {
    return written;
  }
}

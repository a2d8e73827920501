import { type Fields, fieldsOf, listOf, numberOf, textOf } from "./json.ts";
import { readMessages } from "./read-messages.ts";
import { readUsage, spanOf } from "./read-usage.ts";
import type { ViewedBranch } from "./rollout.ts";

/** Where a message stands: the number of the one before it, or −1. */
interface Node {
  readonly parent: number;
  readonly message: unknown;
}

/** The calls of an agent as a row has them, by turn. Those of an agent that failed follow the last turn. */
export function agentCallsByTurn(row: Fields): readonly (readonly unknown[])[] {
  const turns = listOf(row["trajectory"]).map((turn) => listOf(fieldsOf(turn)["calls"]));
  return [...turns, listOf(row["unfinished_calls"])];
}

/**
 * Reads what agents asked their model before they replied. A record has each message once, and calls refer to messages by
 * number: first those of the conversation, then those that calls add.
 */
export function readAgentCalls(row: Fields): readonly ViewedBranch[] {
  const turns = agentCallsByTurn(row);
  if (turns.every((calls) => calls.length === 0)) return [];
  const nodes: Node[] = [];
  const add = (messages: readonly unknown[], after: number): number => {
    let parent = after;
    for (const message of messages) parent = nodes.push({ parent, message }) - 1;
    return parent;
  };
  add([...listOf(row["prompt"]), ...listOf(row["completion"])], -1);
  const own = nodes.length;
  return turns.flatMap((calls, turn) => {
    let isTurn = true;
    const read = calls.map(fieldsOf).map((call): ViewedBranch => {
      const after = numberOf(call["after"]) ?? -1;
      const last = add(listOf(call["messages"]), after < nodes.length ? after : -1);
      const { message } = call;
      if (message !== undefined) add([message], last);
      const reply = numberOf(call["reply"]) ?? -1;
      isTurn &&= last < own && reply < own;
      const path: unknown[] = [nodes[reply]?.message ?? {}];
      for (let at = last; at >= 0; at = nodes[at]!.parent) path.unshift(nodes[at]!.message);
      return {
        kind: "agent",
        turn,
        subModel: textOf(call["requested_model"]) ?? "model",
        messages: readMessages(path, "assistant"),
        usage: readUsage(call["usage"]),
        seconds: spanOf(call["model"]),
        isOverflow: false,
      };
    });
    // An agent whose only call is the turn itself asked nothing beside it.
    return isTurn ? [] : read;
  });
}

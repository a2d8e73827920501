import { isReadable } from "@envs/records";

import type { RolloutRow, SearchMatch } from "../run/run.ts";
import type { ViewedMessage, ViewedRollout } from "./rollout.ts";
import { viewRecord } from "./view-record.ts";

const contextLength = 60;

/** Finds the messages of a stored record, of the rollouts that rows describe, that contain a text, in lower case. */
export function* searchRecord(
  record: string,
  rows: readonly RolloutRow[],
  query: string,
): Generator<SearchMatch> {
  const read = viewRecord(record);
  if (!isReadable(read)) return;
  for (const { id, part = 0 } of rows) {
    const viewed = read[part];
    if (viewed !== undefined) yield* searchRollout(viewed, id, query);
  }
}

/** Finds the messages of a rollout that contain a text, in lower case. One match per message. */
export function* searchRollout(
  { messages }: ViewedRollout,
  id: string,
  query: string,
): Generator<SearchMatch> {
  for (const [index, message] of messages.entries()) {
    const text = messageText(message);
    const at = text.toLowerCase().indexOf(query);
    if (at === -1) continue;
    const end = at + query.length;
    yield {
      id,
      message: index,
      before: text.slice(Math.max(0, at - contextLength), at),
      match: text.slice(at, end),
      after: text.slice(end, end + contextLength),
    };
  }
}

/** The text of a message with its thoughts and tool calls. */
function messageText({ parts, toolCalls }: ViewedMessage): string {
  const texts = parts.flatMap((part) =>
    part.type === "text" || part.type === "thinking" ? [part.text] : [],
  );
  const calls = toolCalls.map(({ name, arguments: input }) => `${name}(${input})`);
  return [...texts, ...calls].join("\n");
}

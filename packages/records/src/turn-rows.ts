import { type AssistantMessage, assistantMessages, type Message, type Turn } from "@envs/core";
import type { AgentCall, SeatRollout } from "@envs/core/engine";

import { AgentCallReader, type AgentCallRow, AgentCallWriter } from "./agent-call-rows.ts";
import { milliseconds, modelCallOf, modelCallRow, seconds } from "./model-call.ts";
import type { TurnRow } from "./row-fields.ts";
import type { Row } from "./row.ts";

type TurnRows = Pick<Row, "trajectory" | "unfinished_calls">;

/** Converts the turns of a conversation, and what an agent asked after them, to their rows. */
export function turnRows({
  prompt,
  completion,
  trajectory: turns,
  unfinishedCalls,
}: Pick<SeatRollout, "prompt" | "completion" | "trajectory" | "unfinishedCalls">): TurnRows {
  // Only agents have calls.
  let writer: AgentCallWriter | undefined;
  const callRow = (call: AgentCall): AgentCallRow =>
    (writer ??= new AgentCallWriter([...prompt, ...completion])).row(call);
  const trajectory = turns.map((turn) => {
    const { model, ...call } = modelCallRow(turn);
    const calls = turn.calls?.map(callRow);
    const env = seconds(turn.environment);
    return Object.assign({ seen: turn.seen, ...call, model, env }, calls && { calls });
  });
  return unfinishedCalls === undefined
    ? { trajectory }
    : { trajectory, unfinished_calls: unfinishedCalls.map(callRow) };
}

/** Rows of verifiers may lack the trajectory. Then each assistant message becomes a turn without usage and timing. */
export function turnsOf(
  { trajectory: rows, unfinished_calls: unfinished }: TurnRows,
  prompt: readonly Message[],
  completion: readonly Message[],
): Pick<SeatRollout, "trajectory" | "unfinishedCalls"> {
  const replies = assistantMessages(completion);
  const seenBefore = completion.flatMap(({ role }, index) =>
    role === "assistant" ? [prompt.length + index] : [],
  );
  const reader = new AgentCallReader([...prompt, ...completion]);
  const trajectory = replies.map((message, index) =>
    turnOf(message, { seen: seenBefore[index]!, ...rows?.[index] }, reader),
  );
  if (!unfinished) return { trajectory };
  return { trajectory, unfinishedCalls: unfinished.map((call) => reader.call(call)) };
}

function turnOf(
  message: AssistantMessage,
  row: Partial<TurnRow> & { readonly seen: number },
  reader: AgentCallReader,
): Turn {
  const { seen, env } = row;
  const calls = row.calls?.map((call) => reader.call(call));
  const turn = { seen, message, ...modelCallOf(row), environment: milliseconds(env) };
  return calls ? { ...turn, calls } : turn;
}

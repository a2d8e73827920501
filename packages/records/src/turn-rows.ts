import { type AssistantMessage, type Message, repliesOf, type Turn } from "@envs/core";
import type { AgentCall, SeatRollout } from "@envs/core/engine";

import { AgentCallReader, type AgentCallRow, AgentCallWriter } from "./agent-call-rows.ts";
import { type Fields, fieldsOf, isFields, listOf, numberOf, textOf } from "./json.ts";
import { milliseconds, modelCallOf, modelCallRow, seconds } from "./model-call.ts";
import type { Row } from "./row.ts";

type TurnRows = Pick<Row, "trajectory" | "unfinished_calls">;

/** Converts the turns of a conversation, and later calls of an agent, to rows. */
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
    const { activity } = turn;
    return Object.assign(
      { seen: turn.seen, ...call, model, env },
      calls && { calls },
      activity && { activity },
    );
  });
  return unfinishedCalls === undefined
    ? { trajectory }
    : { trajectory, unfinished_calls: unfinishedCalls.map(callRow) };
}

/**
 * Reads a turn for each reply. Rows of verifiers may lack the trajectory, and their times of the model are in `timing`.
 */
export function turnsOf(
  row: Fields,
  prompt: readonly Message[],
  completion: readonly Message[],
): Pick<SeatRollout, "trajectory" | "unfinishedCalls"> {
  const rows = listOf(row["trajectory"]).map(fieldsOf);
  const timing = fieldsOf(row["timing"]);
  const [model, env] = [spansOf(timing["model"]), spansOf(timing["env"])];
  const replies = repliesOf(completion);
  const seenBefore = completion.flatMap(({ role }, index) =>
    role === "assistant" ? [prompt.length + index] : [],
  );
  const reader = new AgentCallReader([...prompt, ...completion]);
  const trajectory = replies.map((message, index) => {
    const known = { seen: seenBefore[index], model: model[index], env: env[index] };
    return turnOf(message, { ...known, ...stepOf(rows[index]) }, reader);
  });
  const { unfinished_calls: unfinished } = row;
  if (!Array.isArray(unfinished)) return { trajectory };
  return { trajectory, unfinishedCalls: unfinished.map((call) => reader.call(call)) };
}

function activityOf(value: unknown): NonNullable<Turn["activity"]>[number] {
  const { kind, text } = fieldsOf(value);
  return { kind: textOf(kind) ?? "", text: textOf(text) ?? "" };
}

/** The times of the turns, which verifiers stores together with their sum. */
function spansOf(value: unknown): readonly unknown[] {
  return listOf(isFields(value) ? value["spans"] : value);
}

/** A turn as a row has it. Verifiers stores the whole response of the model in it. */
export function stepOf(step: Fields = {}): Fields {
  const response = fieldsOf(step["response"]);
  const finish = fieldsOf(response["message"])["finish_reason"] ?? response["finish_reason"];
  return { finish_reason: finish, usage: response["usage"], ...step };
}

function turnOf(message: AssistantMessage, row: Fields, reader: AgentCallReader): Turn {
  const turn = {
    seen: numberOf(row["seen"]) ?? 0,
    message,
    ...modelCallOf(row),
    environment: milliseconds(row["env"]),
  };
  const { calls, activity } = row;
  return {
    ...turn,
    ...(Array.isArray(calls) && { calls: calls.map((call) => reader.call(call)) }),
    ...(Array.isArray(activity) && { activity: activity.map(activityOf) }),
  };
}

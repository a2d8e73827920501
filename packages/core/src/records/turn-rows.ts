import { type AssistantMessage, assistantMessages, type Message } from "../message.ts";
import type { SeatRollout } from "../rollout-record.ts";
import type { Turn } from "../trajectory.ts";
import { AgentCallReader, AgentCallWriter } from "./agent-call-rows.ts";
import { milliseconds, modelCallOf, modelCallRow, seconds } from "./model-call.ts";
import type { TurnRow } from "./row-fields.ts";
import type { Row } from "./row.ts";

/** Converts the turns of a conversation to their rows. */
export function turnRows({
  prompt,
  completion,
  trajectory,
}: Pick<SeatRollout, "prompt" | "completion" | "trajectory">): readonly TurnRow[] {
  // Only agents have calls.
  let writer: AgentCallWriter | undefined;
  return trajectory.map((turn) => {
    const { model, ...call } = modelCallRow(turn);
    const calls = turn.calls?.map((each) =>
      (writer ??= new AgentCallWriter([...prompt, ...completion])).row(each),
    );
    const env = seconds(turn.environment);
    return Object.assign({ seen: turn.seen, ...call, model, env }, calls && { calls });
  });
}

/** Rows of verifiers may lack the trajectory. Then each assistant message becomes a turn without usage and timing. */
export function trajectoryOf(
  rows: Row["trajectory"],
  prompt: readonly Message[],
  completion: readonly Message[],
): Turn[] {
  const replies = assistantMessages(completion);
  const seenBefore = completion.flatMap(({ role }, index) =>
    role === "assistant" ? [prompt.length + index] : [],
  );
  const reader = new AgentCallReader([...prompt, ...completion]);
  return replies.map((message, index) =>
    turnOf(message, { seen: seenBefore[index]!, ...rows?.[index] }, reader),
  );
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

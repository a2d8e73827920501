import type { Failure, Rollout, Turn } from "@envs/core";
import type { AgentCall, SeatRollout, Span } from "@envs/core/engine";
import type { ReadRollout, RecordedTurn } from "@envs/records";

import type {
  ViewedBranch,
  ViewedError,
  ViewedMessage,
  ViewedRollout,
  ViewedTurn,
  ViewedUsage,
} from "./rollout.ts";
import { viewMessages } from "./view-messages.ts";

/** Prepares a rollout for the screen. */
export function viewRollout(read: ReadRollout): ViewedRollout {
  const { rollout } = read;
  const { prompt, completion, trajectory } = rollout;
  const isScored = rollout.status === "scored";
  const recorded = read.turns();
  const agentCalls = callsByTurn(rollout).flat().length;
  const branches = [
    ...viewAgentCalls(rollout),
    ...viewActivity(rollout),
    ...viewSubModelCalls(rollout),
  ];
  return {
    example: read.example,
    key: rollout.exampleKey,
    part: rollout.part,
    status: isScored || read.isUnscored ? "scored" : "failed",
    reward: isScored ? rollout.reward : null,
    scores: read.scores,
    messages: numberTurns(viewMessages([...prompt, ...completion]), prompt.length),
    promptLength: prompt.length,
    turns: trajectory.map((turn, index) => viewTurn(turn, recorded[index])),
    stopReason: isScored ? rollout.stopReason : read.isUnscored ? "end" : undefined,
    isTruncated: rollout.isTruncated,
    isFiltered: rollout.isFiltered,
    error: isScored || read.isUnscored ? undefined : viewError(rollout.error),
    toolErrors: rollout.toolErrors ?? [],
    tools: Object.entries(rollout.tools ?? {}).map(([name, use]) => Object.assign({ name }, use)),
    judges: Object.entries(rollout.judgeUsage ?? {}).map(([name, usage]) => ({
      name,
      calls: usage.calls,
      cached: usage.cached,
      usage: viewUsage(usage),
    })),
    ...(branches.length > 0 && { branches }),
    ...(agentCalls > 0 && { agentCalls }),
    ...((rollout.seat !== undefined || rollout.otherSeats) && {
      seat: rollout.seat,
      otherSeats: Object.entries(rollout.otherSeats ?? {}).map(viewSeat),
    }),
    earlierErrors: (rollout.earlierAttempts ?? []).map(({ error }) => viewError(error)),
    expected: read.expected,
    usage: rollout.usage && viewUsage(rollout.usage, read.cost),
    phases: read.phases,
    advantage: read.advantage,
  };
}

function viewError({ code, message, chain }: Failure): ViewedError {
  return { code, message, details: chain.filter((cause) => cause !== message) };
}

function viewTurn(turn: Turn, recorded: RecordedTurn | undefined): ViewedTurn {
  return {
    finish: recorded?.finish,
    usage: turn.usage && viewUsage(turn.usage, recorded?.cost),
    modelSeconds: secondsOf(turn.model),
    environmentSeconds: secondsOf(turn.environment),
    tokens: recorded?.tokens ?? [],
    reward: recorded?.reward,
    advantage: recorded?.advantage,
  };
}

function viewUsage(
  { inputTokens, outputTokens }: Pick<ViewedUsage, "inputTokens" | "outputTokens">,
  cost?: number,
): ViewedUsage {
  return { inputTokens, outputTokens, cost };
}

/** The duration of a span. One that the record lacks begins and ends at 0. */
function secondsOf({ start, end }: Span): number | undefined {
  return start === 0 && end === 0 ? undefined : Math.max(0, end - start) / 1000;
}

function viewSeat([name, side]: readonly [string, SeatRollout]) {
  const { model, reward = null, prompt, completion } = side;
  return { name, model, reward, messages: viewMessages([...prompt, ...completion]) };
}

function viewSubModelCalls({ branches = [] }: Rollout): readonly ViewedBranch[] {
  return branches.map((branch) => ({
    kind: "sub-model",
    turn: branch.turn,
    subModel: branch.subModel,
    ...viewCall(branch),
    isOverflow: branch.isOverflow === true,
  }));
}

/** The model calls of an agent, by turn. The calls of an agent that failed follow the last turn. */
function callsByTurn({
  trajectory,
  unfinishedCalls = [],
}: Rollout): readonly (readonly AgentCall[])[] {
  return [...trajectory.map(({ calls = [] }) => calls), unfinishedCalls];
}

/** The calls of an agent beside the conversation. */
function viewAgentCalls(rollout: Rollout): readonly ViewedBranch[] {
  const own = new Set([...rollout.prompt, ...rollout.completion]);
  return callsByTurn(rollout).flatMap((calls, turn) => {
    // Omits calls that are the turn itself.
    const isTurn = calls.every(({ messages, message }) =>
      [messages.at(-1), message].every((sent) => sent === undefined || own.has(sent)),
    );
    if (isTurn) return [];
    return calls.map((call) => ({
      kind: call.isHelper ? ("helper" as const) : ("agent" as const),
      turn,
      subModel: call.requestedModel,
      ...viewCall(call),
      isOverflow: false,
    }));
  });
}

/** What an agent did besides its calls, as conversations of one message. */
function viewActivity({ trajectory }: Rollout): readonly ViewedBranch[] {
  return trajectory.flatMap(({ activity = [] }, turn) =>
    activity.map(({ kind, text }) => ({
      kind: "activity",
      turn,
      subModel: kind,
      messages: viewMessages([{ role: "user", content: text }]).map((message) =>
        Object.assign(message, { role: kind }),
      ),
      usage: undefined,
      seconds: undefined,
      isOverflow: false,
    })),
  );
}

function viewCall({
  messages,
  message,
  usage,
  model,
}: Pick<AgentCall, "messages" | "message" | "usage" | "model">) {
  return {
    messages: viewMessages([...messages, message]),
    usage: usage && viewUsage(usage),
    seconds: secondsOf(model),
  };
}

/** Numbers the model's messages after the prompt. */
function numberTurns(
  messages: readonly ViewedMessage[],
  promptLength: number,
): readonly ViewedMessage[] {
  let turn = -1;
  return messages.map((message, index) => {
    if (index < promptLength || message.role !== "assistant") return message;
    turn += 1;
    return { ...message, turn };
  });
}

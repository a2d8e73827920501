import type { Example, KeyedExample } from "../dataset/example.ts";
import type { Environment } from "../definition/environment.ts";
import type { ToolUses } from "../episode/call-counts.ts";
import type { Conversation } from "../episode/conversation.ts";
import type { Episode } from "../episode/episode.ts";
import { asRolloutError, messageOf, type RolloutError, type RolloutErrorCode } from "../errors.ts";
import { omitUndefined } from "../json.ts";
import type { Message } from "../message/message.ts";
import type { StopReason } from "../message/stop.ts";
import type { Branch, Called, SubModelUsages } from "../model/branch.ts";
import type { Span } from "../model/clock.ts";
import { type AgentCall, type ToolSpec } from "../model/model.ts";
import type { Timing, Trajectory, Turn } from "../model/trajectory.ts";
import { addUsage, noUsage, type Usage } from "../model/usage.ts";
import type { JudgeCall, JudgeUsages } from "../rubric/judge.ts";
import type { ScoreResult, Scores } from "../rubric/rubric.ts";
import type { ModelPlayer } from "./model-player.ts";

/** Why a rollout failed. */
export interface Failure {
  readonly code: RolloutErrorCode;
  readonly message: string;
  /** The error and its causes, outermost first: name and message of each. */
  readonly chain: readonly string[];
  readonly isFatal: boolean;
}

/** An attempt at a rollout that failed and was played again. */
export interface EarlierAttempt {
  readonly error: Failure;
  /** The tokens of the attempt; `undefined` if those of a turn are unknown. */
  readonly usage: Usage | undefined;
  readonly judgeUsage?: JudgeUsages | undefined;
  readonly subModelUsage?: SubModelUsages | undefined;
}

/** One seat's side of a rollout. */
interface Side {
  readonly prompt: readonly Message[];
  /** Every message after the prompt. */
  readonly completion: readonly Message[];
  readonly trajectory: Trajectory;
  /** The model calls of an agent that led to no message: it failed, was stopped, or asked after its last reply. */
  readonly unfinishedCalls?: readonly AgentCall[] | undefined;
  readonly isTruncated: boolean;
  /** The provider cut a reply because of its content, or the model refused to reply. */
  readonly isFiltered: boolean;
  /** The tokens of all turns and unfinished calls, without those of branches and helpers; `undefined` if some are unknown. */
  readonly usage: Usage | undefined;
  /** The usage of judges by the scores, by the name of the judge. Absent without such usage. */
  readonly judgeUsage?: JudgeUsages | undefined;
  /** The answers of judges. Absent without answers, and in saved records. */
  readonly judgeCalls?: readonly JudgeCall[] | undefined;
  /** Why tools of the environment threw. The model received the messages and continued. */
  readonly toolErrors?: readonly string[] | undefined;
  /** How often the model called each tool; absent if it called none. */
  readonly tools?: ToolUses | undefined;
  /** The tools that the model could call, if those of other rollouts may differ. */
  readonly toolSpecs?: readonly ToolSpec[] | undefined;
}

/** The side of a seat that another model than the first has played. */
export interface SeatRollout extends Side {
  /** The name of the model that played it. */
  readonly model?: string | undefined;
  /** Absent if the rollout failed. */
  readonly reward?: number | undefined;
  readonly scores?: Scores | undefined;
  readonly feedback?: Readonly<Record<string, string>> | undefined;
}

interface RolloutBase<E extends Example> extends Side {
  readonly environment: string;
  /** The part of a mix that played the example, such as `wordle`. Absent outside of a mix. */
  readonly part?: string | undefined;
  readonly example: E;
  /** Position of the example in its dataset. */
  readonly exampleIndex: number;
  readonly exampleKey: string;
  /** The rollout's number within its group, from 0. */
  readonly rolloutIndex: number;
  /** The seat that this rollout's messages and reward belong to. Absent without seats. */
  readonly seat?: string | undefined;
  /** The other seats that models have played, by name. Absent if policies have played them, or without seats. */
  readonly otherSeats?: Readonly<Record<string, SeatRollout>> | undefined;
  /** What the environment asked sub-models, in the order of the calls. Absent if nothing. */
  readonly branches?: readonly Branch[] | undefined;
  /** The number of sub-model calls that the budget has refused. Absent if none. */
  readonly subModelRefusals?: number | undefined;
  readonly timing: Timing;
  /** The attempts before this one, in order. Absent if the first attempt counts. */
  readonly earlierAttempts?: readonly EarlierAttempt[] | undefined;
}

/** A rollout that was played to its end and scored. */
export interface ScoredRollout<
  E extends Example = Example,
  Name extends string = string,
> extends RolloutBase<E> {
  readonly status: "scored";
  readonly stopReason: StopReason;
  readonly reward: number;
  readonly scores: Scores<Name>;
  /** Why scores have their values, by name of the score. Absent if no score returned feedback. */
  readonly feedback?: Readonly<Record<string, string>> | undefined;
}

/** A rollout that could not be finished. It has no reward: a failure is not a reward of 0. */
export interface FailedRollout<E extends Example = Example> extends RolloutBase<E> {
  readonly status: "failed";
  readonly error: Failure;
}

/** One attempt at one example, from prompt to reward. */
export type Rollout<E extends Example = Example, Name extends string = string> =
  | ScoredRollout<E, Name>
  | FailedRollout<E>;

/** An episode that was played to its end, or that failed before. It is not scored yet. */
export interface PlayedEpisode {
  readonly keyed: KeyedExample;
  readonly rolloutIndex: number;
  readonly episode: Episode;
  readonly trajectory: readonly Turn[];
  readonly unfinishedCalls: readonly AgentCall[];
  /** The models that play other seats. */
  readonly others: ReadonlyMap<string, Pick<ModelPlayer, "model" | "turns" | "unfinishedCalls">>;
  readonly setup: Span;
  readonly generation: Span;
  readonly error: RolloutError | undefined;
  /** Aborts the signal of the environment's hooks. */
  readonly controller: AbortController;
  readonly earlierAttempts?: readonly EarlierAttempt[] | undefined;
}

/** Creates the rollout of a played and scored episode. */
export function createRollout(
  environment: Environment,
  played: PlayedEpisode,
  { scoring, outcome }: { scoring: Timing["scoring"]; outcome: ScoreResult | Error },
): Rollout {
  const { episode, keyed, trajectory } = played;
  const { stopReason } = episode;
  const { branches, refusals } = episode.subModelCalls;
  const result = outcome instanceof Error || stopReason === undefined ? undefined : outcome;
  const base = {
    environment: environment.name,
    ...omitUndefined({ part: episode.part }),
    example: keyed.example,
    exampleIndex: keyed.index,
    exampleKey: keyed.key,
    rolloutIndex: played.rolloutIndex,
    ...sideOf(episode.conversation, trajectory, played.unfinishedCalls),
    ...seatsOf(played, result),
    ...(branches.length === 0 ? {} : { branches }),
    ...(refusals === 0 ? {} : { subModelRefusals: refusals }),
    timing: { setup: played.setup, generation: played.generation, scoring },
    ...(played.earlierAttempts?.length ? { earlierAttempts: played.earlierAttempts } : {}),
  };
  if (result === undefined || stopReason === undefined)
    return { status: "failed", ...base, error: failureOf(outcome) };
  // Omits `otherSeats`, which `base` has. A rest pattern would be slower.
  const { reward, scores, feedback, unjudged } = result;
  return {
    status: "scored",
    ...base,
    stopReason,
    reward,
    scores,
    ...omitUndefined({ feedback, unjudged }),
  };
}

function seatsOf(
  { episode, others }: PlayedEpisode,
  result: ScoreResult | undefined,
): Pick<RolloutBase<Example>, "seat" | "otherSeats"> {
  const { seat: own } = episode;
  if (own === undefined) return {};
  if (episode.otherConversations.length === 0) return { seat: own };
  const sides = episode.otherConversations.map((conversation) => {
    const seat = conversation.seat!;
    const { model, turns = [], unfinishedCalls = [] } = others.get(seat) ?? {};
    const { reward, scores, feedback } = result?.otherSeats?.[seat] ?? {};
    const side = sideOf(conversation, turns, unfinishedCalls);
    return [seat, { ...omitUndefined({ model, reward, scores, feedback }), ...side }] as const;
  });
  return { seat: own, otherSeats: Object.fromEntries(sides) };
}

function sideOf(
  conversation: Conversation,
  trajectory: Trajectory,
  unfinishedCalls: readonly AgentCall[],
): Side {
  const { prompt, completion, toolbox, judges, isTruncated } = conversation;
  const calls = [...trajectory, ...ownCalls(unfinishedCalls)];
  return {
    prompt,
    completion,
    trajectory,
    isTruncated: isTruncated || trajectory.some(({ finish }) => finish === "length"),
    isFiltered: isFiltered(trajectory),
    usage: calls.some(({ usage }) => usage === undefined) ? undefined : knownUsage(calls),
    ...omitUndefined({
      // A copy: an agent that ignores its signal may still ask.
      unfinishedCalls: unfinishedCalls.length > 0 ? unfinishedCalls.slice() : undefined,
      judgeUsage: judges.usage,
      judgeCalls: judges.calls.length > 0 ? judges.calls : undefined,
      toolErrors: toolbox.errors.length > 0 ? toolbox.errors : undefined,
      tools: toolbox.uses.uses(),
      toolSpecs: toolbox.isOwn ? toolbox.specs : undefined,
    }),
  };
}
/** Whether a reply was cut because of its content, or refused. */
export function isFiltered(trajectory: Trajectory): boolean {
  return trajectory.some(({ finish }) => finish === "content_filter");
}

/** The calls of an agent without those of helpers. */
export const ownCalls = (calls: readonly AgentCall[] = []): readonly AgentCall[] =>
  calls.filter(({ isHelper }) => !isHelper);

/** The calls of sub-models and of an agent's helpers, which the model that plays has not answered. */
export function otherCalls({ branches = [], trajectory, unfinishedCalls = [] }: Rollout): Called[] {
  const calls = [...trajectory.flatMap((turn) => turn.calls ?? []), ...unfinishedCalls];
  const helpers = calls.filter(({ isHelper }) => isHelper);
  const asked = helpers.map(({ requestedModel: subModel, usage }) => ({ subModel, usage }));
  return [...branches, ...asked];
}

/** Adds the tokens of the calls whose usage is known. */
export function knownUsage(calls: readonly Pick<Turn, "usage">[]): Usage {
  return calls.reduce((sum, { usage }) => addUsage(sum, usage), noUsage);
}

function failureOf(thrown: unknown): Failure {
  const error = asRolloutError("environment", "the episode", thrown);
  const chain: string[] = [];
  for (let cause: unknown = error; cause !== undefined && chain.length < 8;) {
    chain.push(cause instanceof Error ? `${cause.name}: ${cause.message}` : messageOf(cause));
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return { code: error.code, message: error.message, chain, isFatal: error.isFatal };
}

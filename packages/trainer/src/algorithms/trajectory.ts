import { ConfigError, type Rollout, type Turn } from "@envs/core";
import { type TokenTrace } from "@envs/core/engine";
import { type GraphCall, messageGraph } from "@envs/records";

import type { Datum } from "../backend.ts";

/** The tokens of one conversation, as read and sampled by the model. All lists have the same length. */
export interface Sequence {
  readonly ids: readonly number[];
  /** Index of the turn that sampled each token; −1 for tokens of prompts. */
  readonly turns: readonly number[];
  /** Log-probabilities that the tokens were sampled with; 0 for tokens of prompts. */
  readonly logprobs: readonly number[];
}

export interface SequencesOptions {
  /**
   * Excludes truncated rollouts (TRL `mask_truncated_completions`). Their rewards still count for the advantages of their
   * group. Default false.
   */
  readonly maskTruncated?: boolean | undefined;
  /** Adds the sequences of sub-model calls. Their tokens belong to the turn in which they were made. Default false. */
  readonly branches?: boolean | undefined;
}

/** A model call whose tokens are trained. */
interface TrainedCall {
  /** The turn to which the tokens belong. */
  readonly turn: number;
  readonly tokens: TokenTrace | undefined;
}

/**
 * The sequences of a rollout to train on; none if the rollout failed. For an agent, these are the sequences of its model calls,
 * without those of helpers and those beside its task, such as for a title.
 */
export function sequencesOf(rollout: Rollout, options: SequencesOptions = {}): Sequence[] {
  if (rollout.status === "failed") return [];
  if (rollout.isTruncated && (options.maskTruncated ?? false)) return [];
  const { own, subModel } = trainedCalls(rollout);
  const sequences = sequencesOfCalls(own);
  return options.branches === true ? [...sequences, ...sequencesOfCalls(subModel)] : sequences;
}

/** Whether all calls of a rollout that would be trained have tokens. */
export function hasTokens(
  rollout: Rollout,
  { branches = false }: Pick<SequencesOptions, "branches"> = {},
): boolean {
  const { own, subModel } = trainedCalls(rollout);
  return [...own, ...(branches ? subModel : [])].every(({ tokens }) => tokens !== undefined);
}

/** The lengths of the replies of the model that plays, in tokens. Replies without tokens are left out. */
export function replyLengths(rollout: Rollout): readonly number[] {
  return trainedCalls(rollout).own.flatMap(({ tokens }) => tokens?.completionIds.length ?? []);
}

/** The calls of the model that plays, and those of sub-models. */
function trainedCalls(rollout: Rollout): {
  readonly own: readonly TrainedCall[];
  readonly subModel: readonly TrainedCall[];
} {
  const { trajectory, branches } = rollout;
  // Without an agent and sub-models, the turns are the calls.
  if (branches === undefined && trajectory.every(({ calls }) => calls === undefined))
    return { own: trajectory.map(({ tokens }, turn) => ({ turn, tokens })), subModel: [] };
  const answered = messageGraph(rollout).calls.filter(({ reply }) => reply !== undefined);
  const isOwn = ({ kind, isAuxiliary }: GraphCall): boolean =>
    (kind === "turn" || kind === "agent") && !isAuxiliary;
  // A call that `setup` made belongs to the first turn.
  const trained = ({ turn = 0, tokens }: GraphCall): TrainedCall => ({ turn, tokens });
  return {
    own: answered.filter(isOwn).map(trained),
    subModel: answered.filter(({ kind }) => kind === "sub-model").map(trained),
  };
}

function sequencesOfCalls(calls: readonly TrainedCall[]): Sequence[] {
  return sequencesOfTurns(calls).map(({ ids, turns, logprobs }) => ({
    ids,
    turns: turns.map((call) => (call < 0 ? call : calls[call]!.turn)),
    logprobs,
  }));
}

interface Branch {
  readonly ids: number[];
  readonly turns: number[];
  readonly logprobs: number[];
}

/**
 * Joins turns by their prefix: a turn whose prompt starts with all tokens of an earlier sequence continues that sequence.
 * Any other turn starts a new sequence, since the environment has rewritten its prompt.
 */
export function sequencesOfTurns(turns: readonly Pick<Turn, "tokens">[]): Sequence[] {
  const branches: Branch[] = [];
  turns.forEach(({ tokens }, turn) => {
    const trace = checkTrace(tokens, turn);
    let branch = branches.findLast(({ ids }) => startsWith(trace.promptIds, ids));
    if (branch === undefined) {
      branch = { ids: [], turns: [], logprobs: [] };
      branches.push(branch);
    }
    const { ids, turns: turnOfToken, logprobs } = branch;
    for (const id of trace.promptIds.slice(ids.length)) {
      ids.push(id);
      turnOfToken.push(-1);
      logprobs.push(0);
    }
    trace.completionIds.forEach((id, place) => {
      ids.push(id);
      turnOfToken.push(turn);
      logprobs.push(trace.completionLogprobs[place]!);
    });
  });
  return branches;
}

/** Number of trained targets of a sequence; its first token is never a target. */
export function trainedTokens({ turns }: Sequence): number {
  return turns.reduce((count, turn, place) => (turn >= 0 && place > 0 ? count + 1 : count), 0);
}

/** Converts a sequence to training data, with one advantage per turn of the rollout. */
export function datumOf(
  sequence: Sequence,
  advantagesPerTurn: readonly number[],
  weight = 1,
): Datum {
  const { ids, turns, logprobs } = sequence;
  const length = Math.max(ids.length - 1, 0);
  const weights = new Float32Array(length);
  const advantages = new Float32Array(length);
  for (let place = 0; place < length; place += 1) {
    const turn = turns[place + 1]!;
    if (turn < 0) continue;
    const advantage = advantagesPerTurn[turn];
    if (advantage === undefined)
      throw new ConfigError(
        `Turn ${turn + 1} has no advantage: ${advantagesPerTurn.length} advantages were passed. Pass one for each turn of the rollout.`,
      );
    weights[place] = weight;
    advantages[place] = advantage;
  }
  return {
    inputs: Int32Array.from(ids.slice(0, length)),
    targets: Int32Array.from(ids.slice(1)),
    weights,
    samplingLogprobs: Float32Array.from(logprobs.slice(1)),
    advantages,
  };
}

function startsWith(ids: readonly number[], prefix: readonly number[]): boolean {
  if (prefix.length > ids.length) return false;
  // Compares from the end, where conversations mostly differ.
  for (let place = prefix.length - 1; place >= 0; place -= 1)
    if (ids[place] !== prefix[place]) return false;
  return true;
}

function checkTrace(tokens: TokenTrace | undefined, turn: number): TokenTrace {
  if (tokens === undefined)
    throw new ConfigError(
      `Turn ${turn + 1} of a rollout has no tokens, so the rollout cannot be used for training. Use a model that reports sampled tokens: a tiny model, or a server with return_token_ids and logprobs, such as vLLM.`,
    );
  const { completionIds, completionLogprobs } = tokens;
  if (completionIds.length !== completionLogprobs.length)
    throw new ConfigError(
      `Turn ${turn + 1} of a rollout has ${completionIds.length} tokens but ${completionLogprobs.length} log-probabilities. The model must report one log-probability per sampled token.`,
    );
  return tokens;
}

import { ConfigError, type Rollout, type Turn } from "@envs/core";
import type { TokenTrace } from "@envs/core/engine";

import type { Datum } from "../backend.ts";

/** Tokens of one conversation as the model saw and wrote them. All lists have the same length. */
export interface Sequence {
  readonly ids: readonly number[];
  /** The turn that sampled each token, counted within the rollout; −1: given, not sampled. */
  readonly turns: readonly number[];
  /** Log-probabilities that tokens were sampled with; 0 where they were given. */
  readonly logprobs: readonly number[];
}

/** How rollouts become sequences. */
export interface SequencesOptions {
  /**
   * Learns nothing from rollouts that a limit cut short (TRL `mask_truncated_completions`). They still count in their
   * group's advantages. Default false.
   */
  readonly maskTruncated?: boolean;
}

/** The sequences to learn from; none of a rollout that failed. */
export function sequencesOf(rollout: Rollout, options: SequencesOptions = {}): Sequence[] {
  if (rollout.status === "failed") return [];
  if (rollout.isTruncated && (options.maskTruncated ?? false)) return [];
  return sequencesOfTurns(rollout.trajectory);
}

interface Branch {
  readonly ids: number[];
  readonly turns: number[];
  readonly logprobs: number[];
}

/**
 * Joins turns by the prefix rule: a turn whose prompt begins with all tokens of an earlier sequence continues it; any
 * other starts a sequence of its own, since its prompt was rewritten and the model never saw those tokens in a row.
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
    const { ids, turns: owners, logprobs } = branch;
    for (const id of trace.promptIds.slice(ids.length)) {
      ids.push(id);
      owners.push(-1);
      logprobs.push(0);
    }
    trace.completionIds.forEach((id, place) => {
      ids.push(id);
      owners.push(turn);
      logprobs.push(trace.completionLogprobs[place]!);
    });
  });
  return branches;
}

/** How many targets of a sequence are trained on; the first token of all is never a target. */
export function trainedTokens({ turns }: Sequence): number {
  return turns.reduce((count, turn, place) => (turn >= 0 && place > 0 ? count + 1 : count), 0);
}

/** A sequence with the advantage of each of the rollout's turns, as training takes it. */
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
        `A sequence was sampled in turn ${turn + 1}, but there are advantages for ${advantagesPerTurn.length} turns. Give one for each turn of the rollout.`,
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
  // From the end: where two conversations differ, they mostly differ there.
  for (let place = prefix.length - 1; place >= 0; place -= 1)
    if (ids[place] !== prefix[place]) return false;
  return true;
}

function checkTrace(tokens: TokenTrace | undefined, turn: number): TokenTrace {
  if (tokens === undefined)
    throw new ConfigError(
      `Turn ${turn + 1} of a rollout has no tokens, so it cannot be trained on: text alone does not say which tokens were sampled. Play it with a model that reports them: a tiny model, or a server that answers return_token_ids and logprobs, such as vLLM.`,
    );
  const { completionIds, completionLogprobs } = tokens;
  if (completionIds.length !== completionLogprobs.length)
    throw new ConfigError(
      `Turn ${turn + 1} of a rollout has ${completionIds.length} tokens but ${completionLogprobs.length} log-probabilities. Have the model report one for each token it sampled.`,
    );
  return tokens;
}

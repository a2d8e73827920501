import { ConfigError, type RolloutErrorCode, rolloutErrorCodes } from "../errors.ts";
import { omitUndefined } from "../json.ts";
import { usageOfBranches } from "../model/branch.ts";
import {
  type EarlierAttempt,
  otherCalls,
  type PlayedEpisode,
  type Rollout,
} from "../rollout/record.ts";

/** Which failures are played again, and how often. */
export interface RetryOptions {
  /** The codes of the failures. A fatal failure is not played again, because the next attempt would fail the same way. */
  readonly codes: readonly RolloutErrorCode[];
  /** The maximum number of attempts after the first. Default 2. */
  readonly times?: number | undefined;
}

/** The codes that {@link RetryOptions} accepts. The caller caused `cancelled`, and the queue has already retried `worker`. */
export const retryableCodes: readonly RolloutErrorCode[] = rolloutErrorCodes.filter(
  (code) => code !== "cancelled" && code !== "crash" && code !== "worker",
);

export const defaultRetryTimes = 2;

/** Throws a `ConfigError` for a code that is unknown or cannot be retried. */
export function checkRetry({ codes }: RetryOptions): void {
  const unknown = codes.filter((code) => !retryableCodes.includes(code));
  if (unknown.length > 0 || codes.length === 0)
    throw new ConfigError(
      `Rollouts cannot be retried by ${unknown.length > 0 ? `the code ${unknown.map((code) => JSON.stringify(code)).join(", ")}` : "no code"}. Choose from: ${retryableCodes.join(", ")}.`,
    );
}

type Outcome = Pick<PlayedEpisode, "earlierAttempts"> & {
  readonly error?: { readonly code: RolloutErrorCode; readonly isFatal: boolean } | undefined;
};

/** Whether a failed rollout is played again. */
export function isRetried(
  { error, earlierAttempts = [] }: Outcome,
  retry: RetryOptions | undefined,
): boolean {
  if (error === undefined || retry === undefined) return false;
  const { codes, times = defaultRetryTimes } = retry;
  return codes.includes(error.code) && !error.isFatal && earlierAttempts.length < times;
}

/** The earlier attempts of a rollout that is played again. If it was scored, `culprit` is the rollout that failed its group. */
export function attemptsBefore(
  rollout: Rollout,
  culprit: Rollout = rollout,
): readonly EarlierAttempt[] {
  const { earlierAttempts = [], usage, judgeUsage } = rollout;
  const error = rollout.status === "failed" ? rollout.error : siblingFailure(culprit);
  const subModelUsage = usageOfBranches(otherCalls(rollout));
  return [...earlierAttempts, { error, usage, ...omitUndefined({ judgeUsage, subModelUsage }) }];
}

function siblingFailure(culprit: Rollout): EarlierAttempt["error"] {
  if (culprit.status === "scored") throw new Error("A scored rollout is not played again.");
  const { code, message: cause, isFatal } = culprit.error;
  const message = `Rollout ${culprit.rolloutIndex} of its group failed: ${cause}`;
  return { code, message, chain: [message], isFatal };
}

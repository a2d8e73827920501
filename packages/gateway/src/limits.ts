import type { AgentCall } from "@envs/core/engine";

import type { OpenCall } from "./open-call.ts";

/** The limits after which a session answers calls with an error that names the limit. */
export interface SessionLimits {
  /** The maximum number of model calls, with those that fail or that the agent cancels. Default: none. */
  readonly maxCalls?: number | undefined;
  /** The maximum number of tokens in all replies together. Those that the model does not report are estimated. Default: none. */
  readonly maxTotalTokens?: number | undefined;
  /** Called before each model call: a text is why the session stops. */
  readonly stop?: ((calls: readonly AgentCall[]) => string | undefined) | undefined;
}

/** Why a session must not answer its next call; `undefined` if it may. `open`: the calls that are not recorded yet. */
export function limitReached(
  { maxCalls = Infinity, maxTotalTokens = Infinity, stop }: SessionLimits,
  calls: readonly AgentCall[],
  open: readonly Pick<OpenCall, "outputTokens">[],
): string | undefined {
  if (calls.length + open.length >= maxCalls)
    return `it reached its limit of ${maxCalls} model calls`;
  const tokens = (): number =>
    [...calls.map(({ usage }) => usage), ...open].reduce(
      (sum, counted) => sum + (counted?.outputTokens ?? 0),
      0,
    );
  if (maxTotalTokens !== Infinity && tokens() >= maxTotalTokens)
    return `its replies reached the limit of ${maxTotalTokens} tokens in total`;
  return stop?.(calls);
}

import type { AgentCall } from "@envs/core/engine";

/** The limits after which a session answers calls with an error that names the limit. */
export interface SessionLimits {
  /** The maximum number of model calls. Default: none. */
  readonly maxCalls?: number | undefined;
  /** The maximum number of tokens in all replies together. Requires a model that reports its usage. Default: none. */
  readonly maxTotalTokens?: number | undefined;
  /** Called before each model call: a text is why the session stops. */
  readonly stop?: ((calls: readonly AgentCall[]) => string | undefined) | undefined;
}

/** Why a session must not answer its next call; `undefined` if it may. `open`: the number of calls without a reply. */
export function limitReached(
  { maxCalls = Infinity, maxTotalTokens = Infinity, stop }: SessionLimits,
  calls: readonly AgentCall[],
  open: number,
): string | undefined {
  if (calls.length + open >= maxCalls) return `it reached its limit of ${maxCalls} model calls`;
  const tokens = calls.reduce((sum, { usage }) => sum + (usage?.outputTokens ?? 0), 0);
  if (tokens >= maxTotalTokens)
    return `its replies reached the limit of ${maxTotalTokens} tokens in total`;
  return stop?.(calls);
}

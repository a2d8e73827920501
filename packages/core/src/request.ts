import type { Episode } from "./episode.ts";
import type { ModelRequest, Sampling } from "./model.ts";

interface AskOptions {
  readonly sampling?: Sampling | undefined;
  /** What a local model samples with, and a policy chooses with. */
  readonly seed: number;
  readonly signal: AbortSignal;
}

/** What a model is asked at the place where an episode stands. */
export function requestOf(running: Episode, { sampling, seed, signal }: AskOptions): ModelRequest {
  return {
    messages: running.messages.slice(),
    ...(running.tools.length > 0 ? { tools: running.tools } : {}),
    ...(sampling === undefined ? {} : { sampling }),
    seed,
    signal,
    askPolicy: (name, parameter) => running.askPolicy(name, seed, parameter),
  };
}

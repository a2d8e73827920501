import type { EpisodeContext } from "../definition/context.ts";
import { lastReply } from "../message/message.ts";
import type { Memo, ScoreContext } from "../rubric/rubric.ts";

type EpisodeFacts = Pick<
  ScoreContext,
  "prompt" | "completion" | "turnRewards" | "stopReason" | "isTruncated" | "judge"
>;

/** Creates the context that scores receive. Scores run in parallel, so none may change what another reads. */
export function createScoreContext(
  {
    config,
    example,
    state,
    seat,
    turns,
    signal,
    random,
  }: EpisodeContext<never, never, unknown, never>,
  facts: EpisodeFacts,
): ScoreContext {
  return Object.freeze({
    ...facts,
    config,
    example,
    state,
    seat,
    prompt: Object.freeze(facts.prompt.slice()),
    completion: Object.freeze(facts.completion.slice()),
    reply: lastReply(facts.completion),
    turns,
    turnRewards: Object.freeze(facts.turnRewards.slice()),
    memo: createMemo(),
    random: random.for("score"),
    signal,
  });
}

/**
 * Creates the memo of one rollout. If `compute` throws, the next call computes again; a promise is stored as it is, also
 * one that rejects.
 */
export function createMemo(): Memo {
  const values = new Map<string, unknown>();
  return <Value>(key: string, compute: () => Value): Value => {
    if (!values.has(key)) values.set(key, compute());
    return values.get(key) as Value;
  };
}

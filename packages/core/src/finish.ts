import { limited } from "./deadline.ts";
import type { Environment } from "./environment.ts";
import { scoreEpisodes } from "./episode.ts";
import type { RolloutError } from "./errors.ts";
import { type Played, record, type Rollout } from "./rollout-record.ts";
import type { ScoreResult } from "./rubric.ts";
import { now } from "./trajectory.ts";

interface FinishOptions {
  /** The longest that scoring may take, and closing, in milliseconds. */
  readonly rolloutTimeout?: number;
  readonly signal?: AbortSignal;
}

const isOver = new Error("The rollout is over.");

/** Scores the played episodes of one group together, closes them, and makes their records. */
export async function finish(
  environment: Environment,
  group: readonly Played[],
  options: FinishOptions,
): Promise<readonly Rollout[]> {
  const complete = group.filter(({ error }) => error === undefined);
  const scoring = { start: now(), end: now() };
  let outcomes: readonly (ScoreResult | Error)[] = [];
  const failure = await limited(
    {
      over: complete[0]?.over ?? new AbortController(),
      signal: options.signal,
      timeout: options.rolloutTimeout,
      what: "Scoring",
    },
    async () => {
      const episodes = complete.map(({ episode }) => episode);
      outcomes = await scoreEpisodes(environment, episodes);
    },
  );
  scoring.end = now();
  if (failure !== undefined) for (const { over } of complete) over.abort(failure);
  return Promise.all(
    group.map(async (played) => {
      const outcome = played.error ?? failure ?? outcomes[complete.indexOf(played)]!;
      const closing = environment.definition.close && (await closed(played, options));
      played.over.abort(isOver);
      return record(environment, played, { scoring, outcome: closing ?? outcome });
    }),
  );
}

/** A `close` that fails or hangs fails its rollout, unless that had failed already. It never holds up a run for good. */
async function closed(
  { episode, error }: Played,
  { rolloutTimeout: timeout = 60_000 }: FinishOptions,
): Promise<RolloutError | undefined> {
  const failure = await limited(
    { over: new AbortController(), signal: undefined, timeout, what: "Closing the episode" },
    () => episode.close(),
  );
  return error === undefined ? failure : undefined;
}

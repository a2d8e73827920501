import { runWithLimit } from "../abort.ts";
import type { Environment } from "../definition/environment.ts";
import { scoreEpisodes } from "../episode/score-episodes.ts";
import type { RolloutError } from "../errors.ts";
import { now } from "../model/clock.ts";
import type { ScoreResult } from "../rubric/rubric.ts";
import { createRollout, type PlayedEpisode, type Rollout } from "./record.ts";

interface FinishOptions {
  /** The time limit of scoring, and again of closing, in milliseconds. */
  readonly rolloutTimeout?: number | undefined;
  readonly skipJudged?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

const rolloutEnded = new Error("The rollout has ended.");

/** Scores the played episodes of one group together, closes them, and returns their rollouts. */
export async function finishGroup(
  environment: Environment,
  group: readonly PlayedEpisode[],
  options: FinishOptions,
): Promise<readonly Rollout[]> {
  const complete = group.filter(({ error }) => error === undefined);
  const scoring = { start: now(), end: now() };
  let outcomes: readonly (ScoreResult | Error)[] = [];
  const failure = await runWithLimit(
    {
      controller: complete[0]?.controller ?? new AbortController(),
      signal: options.signal,
      timeout: options.rolloutTimeout,
      operation: "Scoring",
    },
    async () => {
      const episodes = complete.map(({ episode }) => episode);
      outcomes = await scoreEpisodes(environment, episodes, options);
    },
  );
  scoring.end = now();
  if (failure !== undefined) for (const { controller } of complete) controller.abort(failure);
  return Promise.all(
    group.map(async (played) => {
      const outcome = played.error ?? failure ?? outcomes[complete.indexOf(played)]!;
      const closeError = played.episode.mustClose ? await close(played, options) : undefined;
      const result = closeError ?? outcome;
      played.episode.scope.close(result instanceof Error ? result : undefined);
      played.controller.abort(rolloutEnded);
      return createRollout(environment, played, { scoring, outcome: result });
    }),
  );
}

/** Closes an episode. Returns the error, unless the rollout has already failed. */
async function close(
  { episode, error }: PlayedEpisode,
  { rolloutTimeout: timeout }: FinishOptions,
): Promise<RolloutError | undefined> {
  const failure = await runWithLimit(
    {
      controller: new AbortController(),
      signal: undefined,
      timeout,
      operation: "Closing the episode",
    },
    () => episode.close(),
  );
  return error === undefined ? failure : undefined;
}

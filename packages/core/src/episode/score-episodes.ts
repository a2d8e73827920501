import type { Environment } from "../definition/environment.ts";
import { ConfigError } from "../errors.ts";
import type { HookScope } from "../hook-scope.ts";
import { namedScores, type ScoreContext, type ScoreResult } from "../rubric/rubric.ts";
import { scoreGroup, type ScoringOptions } from "../rubric/scoring.ts";
import type { Conversation } from "./conversation.ts";

/** An episode that has ended. */
interface EndedEpisode {
  readonly environment: Environment;
  readonly part: string | undefined;
  readonly scope: HookScope;
  readonly conversation: Conversation;
  readonly otherConversations: readonly Conversation[];
  scoreContext(conversation: Conversation): ScoreContext;
}

/** The conversation of one seat of an episode. */
interface Side {
  readonly episode: EndedEpisode;
  readonly conversation: Conversation;
}

type Outcome = ScoreResult | Error;

/**
 * Scores the finished episodes of one group, seat by seat. Returns a result or an error for each, in order. With `skipJudged`,
 * scores that ask a judge are `null`.
 */
export async function scoreEpisodes(
  environment: Environment,
  episodes: readonly EndedEpisode[],
  options: Pick<ScoringOptions, "skipJudged"> = {},
): Promise<readonly Outcome[]> {
  const [first] = episodes;
  if (first === undefined) return [];
  const other = episodes.find(({ part }) => part !== first.part);
  if (other !== undefined)
    throw new ConfigError(
      `A group has episodes of ${first.part} and of ${other.part}. Score the episodes of one example together.`,
    );
  const results = await scoreSeats(episodes, options);
  if (first.part === undefined) return results;
  const all = namedScores(environment.definition).map(({ name }) => name);
  return results.map((result) => (result instanceof Error ? result : withAbsent(result, all)));
}

/** Scores the conversations of each seat as one group. */
async function scoreSeats(
  episodes: readonly EndedEpisode[],
  options: Pick<ScoringOptions, "skipJudged">,
): Promise<readonly Outcome[]> {
  const own = episodes.map((episode) => ({ episode, conversation: episode.conversation }));
  const { seat } = own[0]!.conversation;
  const isOneSeat = own.every(
    ({ episode, conversation }) =>
      episode.otherConversations.length === 0 && conversation.seat === seat,
  );
  if (isOneSeat) return scoreSeat(own, options);
  const played = episodes.flatMap((episode) =>
    [episode.conversation, ...episode.otherConversations].map((conversation) => {
      return { episode, conversation };
    }),
  );
  const outcomes = new Map<Conversation, Outcome>();
  for (const group of Map.groupBy(played, ({ conversation }) => conversation.seat).values()) {
    const scored = await scoreSeat(group, options);
    for (const [index, { conversation }] of group.entries())
      outcomes.set(conversation, scored[index]!);
  }
  return episodes.map((episode) => withSeats(episode, outcomes));
}

function scoreSeat(
  group: readonly Side[],
  { skipJudged }: Pick<ScoringOptions, "skipJudged">,
): Promise<readonly Outcome[]> {
  return scoreGroup(
    group[0]!.episode.environment.definition,
    group.map(({ episode, conversation }) => episode.scoreContext(conversation)),
    { scopes: group.map(({ episode }) => episode.scope), skipJudged },
  );
}

/** The result of an episode, with the results of its other seats. An error of one seat is an error of the episode. */
function withSeats(
  { conversation, otherConversations }: EndedEpisode,
  outcomes: ReadonlyMap<Conversation, Outcome>,
): Outcome {
  const own = outcomes.get(conversation)!;
  if (otherConversations.length === 0) return own;
  const failed = [conversation, ...otherConversations]
    .map((each) => outcomes.get(each)!)
    .find((outcome) => outcome instanceof Error);
  if (failed !== undefined) return failed;
  const otherSeats = Object.fromEntries(
    otherConversations.map((each) => [each.seat!, outcomes.get(each) as ScoreResult]),
  );
  return { ...(own as ScoreResult), otherSeats };
}

/** Adds the scores of the other parts, which are `null`, as scores that the config disables. */
function withAbsent(result: ScoreResult, all: readonly string[]): ScoreResult {
  const absent = Object.fromEntries(all.map((name) => [name, null]));
  const { scores, otherSeats } = result;
  return {
    ...result,
    scores: { ...absent, ...scores },
    ...(otherSeats && {
      otherSeats: Object.fromEntries(
        Object.entries(otherSeats).map(([seat, each]) => [seat, withAbsent(each, all)]),
      ),
    }),
  };
}

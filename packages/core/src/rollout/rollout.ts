import { runWithLimit } from "../abort.ts";
import type { Example, KeyedExample } from "../dataset/example.ts";
import { checkRequirements } from "../definition/check-requirements.ts";
import type { Environment } from "../definition/environment.ts";
import { checkJudge } from "../definition/judge-needs.ts";
import { playedBy } from "../definition/part.ts";
import { asksSubModel, checkSubModel } from "../definition/sub-model-needs.ts";
import { Episode } from "../episode/episode.ts";
import { contentHash, deepCopy } from "../json.ts";
import { now } from "../model/clock.ts";
import { sharedJudges } from "../rubric/shared-judge.ts";
import { assignModels, checkModels } from "./assign-models.ts";
import { modelPlayers, seatPlayersOf } from "./create-players.ts";
import { finishGroup } from "./finish.ts";
import type { ModelPlayer } from "./model-player.ts";
import type { PlayOptions } from "./play-options.ts";
import type { PlayedEpisode, Rollout } from "./record.ts";
import { subModelOf } from "./run-sub-model.ts";

/** Plays one example to its end and scores it. */
export async function rollout<
  E extends Example,
  State,
  Name extends string,
  Seat extends string = string,
>(
  environment: Environment<E, State, Name, Seat>,
  example: E,
  options: PlayOptions<NoInfer<Seat>>,
): Promise<Rollout<E, Name>> {
  checkModels(environment, options.model, options.rotateSeats);
  checkJudge(environment, options);
  checkSubModel(environment, options);
  await checkRequirements(environment);
  const key = example.id ?? contentHash(example);
  const judge = sharedJudges(options.judge, options);
  const keyed = { example: deepCopy(example), key, index: 0 };
  const played = await play(environment, keyed, { ...options, judge });
  const [finished] = await finishGroup(environment, [played], options);
  return finished as Rollout<E, Name>;
}

/** Plays one example to its end without scoring it. Returns errors of the model and the environment as data. */
export async function play(
  environment: Environment,
  keyed: KeyedExample,
  options: PlayOptions<string>,
): Promise<PlayedEpisode> {
  const { seed = 0, maxTurns, hookTimeout, rolloutIndex = 0, rolloutTimeout, signal } = options;
  const controller = new AbortController();
  const played = playedBy(environment, keyed.example, keyed.key);
  const shift = options.rotateSeats === true ? rolloutIndex : 0;
  const assignment = assignModels(played.environment, options.model, shift);
  const { own, others } = modelPlayers(assignment, keyed.key, { ...options, controller });
  const episode = new Episode(environment, played, {
    seat: assignment.seat,
    players: seatPlayersOf(others),
    seed,
    maxTurns,
    judge: options.judge,
    subModel: asksSubModel(environment) ? subModelOf(keyed, options) : undefined,
    signal: controller.signal,
    hookTimeout,
  });
  const start = now();
  const setup = { start, end: start };
  const error = await runWithLimit(
    { controller, signal, timeout: rolloutTimeout, operation: "The rollout" },
    async () => {
      await episode.start();
      setup.end = now();
      await playTurns(episode, own, controller.signal, options.onTurn);
    },
  );
  const generation = { start: setup.end, end: now() };
  const { turns: trajectory, unfinishedCalls } = own;
  const result = { keyed, rolloutIndex, episode, trajectory, unfinishedCalls, others };
  return { ...result, setup, generation, error, controller };
}

/** The loop: ask the model, step the episode, until the episode is done or a limit is reached. */
async function playTurns(
  episode: Episode,
  player: ModelPlayer,
  signal: AbortSignal,
  onTurn: PlayOptions["onTurn"],
): Promise<void> {
  while (episode.stopReason === undefined) {
    signal.throwIfAborted();
    const reply = await player.playTurn(episode, episode.scope);
    if (typeof reply === "string") return episode.stop(reply);
    await episode.step(reply.message, { isTruncated: reply.finish === "length" });
    signal.throwIfAborted();
    const turn = player.endTurn();
    onTurn?.(turn);
  }
}

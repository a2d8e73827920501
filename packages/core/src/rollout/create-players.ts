import type { EpisodeOptions } from "../episode/options.ts";
import type { Player } from "../episode/table.ts";
import type { Model } from "../model/model.ts";
import { random, type Seed } from "../random.ts";
import type { Assignment } from "./assign-models.ts";
import { ModelPlayer, type ModelPlayerOptions } from "./model-player.ts";

interface RolloutSite extends ModelPlayerOptions {
  readonly seed?: Seed | undefined;
  readonly rolloutIndex?: number | undefined;
}

/** The models of one rollout as players. */
export interface ModelPlayers {
  readonly own: ModelPlayer;
  /** The players of other seats, by name. */
  readonly others: ReadonlyMap<string, ModelPlayer>;
}

const none: ReadonlyMap<string, ModelPlayer> = new Map();

/** Makes the models of one rollout its players. Rollouts of the same example sample with different seeds. */
export function modelPlayers(
  { model, others }: Assignment,
  key: string,
  { seed = 0, rolloutIndex = 0, ...options }: RolloutSite,
): ModelPlayers {
  const playerOf = (each: Model, session: string, ...seat: readonly string[]): ModelPlayer =>
    new ModelPlayer(
      each,
      { session, seeds: random(seed, key, "rollout", rolloutIndex, ...seat) },
      options,
    );
  const session = `${key}/${rolloutIndex}`;
  const seats = Object.keys(others);
  return {
    own: playerOf(model, session),
    others:
      seats.length === 0
        ? none
        : new Map(
            seats.map((seat) => [
              seat,
              playerOf(others[seat]!, `${session}/${seat}`, "seat", seat),
            ]),
          ),
  };
}

/** The players of other seats as an episode asks them; `undefined` without other models. */
export function seatPlayersOf(others: ModelPlayers["others"]): EpisodeOptions["players"] {
  if (others.size === 0) return undefined;
  const entries = [...others].map(([seat, player]): [string, Player] => [
    seat,
    (conversation) => player.playTurn(conversation, conversation.scope),
  ]);
  return Object.fromEntries(entries);
}

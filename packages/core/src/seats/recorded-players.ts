import { askModel } from "../ask-model.ts";
import { RolloutError } from "../errors.ts";
import type { Model, Sampling } from "../model.ts";
import { random, type Seed } from "../random.ts";
import { now, type Turn } from "../trajectory.ts";
import type { Player } from "./table.ts";

interface PlayerOptions {
  readonly controller: AbortController;
  readonly seed?: Seed | undefined;
  readonly rolloutIndex?: number | undefined;
  readonly sampling?: Sampling | undefined;
  readonly turnTimeout?: number | undefined;
  readonly maxTotalTokens?: number | undefined;
}

/** The turns of one seat, and the name of the model that played it. */
export interface SeatTrajectory {
  readonly model: string | undefined;
  readonly turns: readonly Turn[];
}

/** Makes models the players of seats, and records their turns. */
export function recordedPlayers(
  models: Readonly<Record<string, Model>>,
  options: PlayerOptions,
): {
  readonly players: Readonly<Record<string, Player>>;
  readonly trajectories: ReadonlyMap<string, SeatTrajectory>;
} {
  const players: Record<string, Player> = {};
  const trajectories = new Map<string, SeatTrajectory>();
  for (const [seat, model] of Object.entries(models)) {
    const turns: Turn[] = [];
    players[seat] = playerOf(model, turns, options);
    trajectories.set(seat, { model: model.id, turns });
  }
  return { players, trajectories };
}

function playerOf(model: Model, turns: Turn[], options: PlayerOptions): Player {
  const { controller, seed = 0, rolloutIndex = 0, sampling, turnTimeout } = options;
  const { maxTotalTokens = Infinity } = options;
  let outputTokens = 0;
  return async (conversation) => {
    if (outputTokens >= maxTotalTokens) return "tokens";
    const { key, seat, scope } = conversation;
    const seen = conversation.messages.length;
    const start = now();
    const response = await askModel(conversation, {
      model,
      sampling,
      turnTimeout,
      scope,
      controller,
      seed: random(seed, key, "rollout", rolloutIndex, "seat", seat!, turns.length).int(2 ** 31),
      session: `${key}/${rolloutIndex}/${seat!}`,
    });
    if (response === undefined) return "context";
    controller.signal.throwIfAborted();
    const { message, finish, usage, tokens, calls } = response;
    const end = now();
    // The environment answers several seats in one step, so its time belongs to none of them.
    const environment = { start: end, end };
    turns.push({ seen, message, finish, usage, tokens, calls, model: { start, end }, environment });
    if (usage === undefined && maxTotalTokens !== Infinity) throw usageRequired(maxTotalTokens);
    outputTokens += usage?.outputTokens ?? 0;
    return response;
  };
}

/** The error for a limit of tokens that a model without usage cannot keep. */
export function usageRequired(maxTotalTokens: number): RolloutError {
  return new RolloutError(
    "model",
    `The model does not report its usage, so the limit of ${maxTotalTokens} tokens cannot be enforced. Omit the limit, or limit the turns.`,
    { isFatal: true },
  );
}

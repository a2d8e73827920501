import type { Environment, Model, SeatModels } from "@envs/core";
import { seatNamesOf } from "@envs/core/engine";

import { UsageError } from "../terminal/errors.ts";
import { loadModel } from "./load-model.ts";
import { loadModels } from "./load-models.ts";
import type { LoadedModel, LoadModelOptions } from "./loaded-model.ts";

/** The models of a run. `model` is the one whose reward is the reward of a rollout. */
export interface LoadedPlayers extends LoadedModel {
  /** The model that plays, or models by seat. */
  readonly models: Model | SeatModels;
}

/**
 * Loads the model that `-m` names, or models by seat, separated by commas, such as `X=tiny:tictactoe,O=policy:optimal`. A model
 * that plays several seats is loaded once.
 */
export async function loadPlayers(
  environment: Environment,
  name: string,
  options: LoadModelOptions,
): Promise<LoadedPlayers> {
  const names = seatModelNames(environment, name);
  if (names === undefined) {
    const loaded = await loadModel(name, options);
    return { ...loaded, models: loaded.model };
  }
  const each = [...names.values()].map((model) => [model, model] as const);
  const { models, close } = await loadModels(Object.fromEntries(each), (model) =>
    loadModel(model, options),
  );
  const first = models[each[0]![0]]!;
  const concurrency = Object.values(models).flatMap((loaded) => loaded.concurrency ?? []);
  return {
    ...first,
    model: Object.assign<Model, Partial<Model>>((request) => first.model(request), { id: name }),
    models: Object.fromEntries([...names].map(([seat, model]) => [seat, models[model]!.model])),
    ...(concurrency.length > 0 && { concurrency: Math.min(...concurrency) }),
    close,
  };
}

/** The names of the models that `-m` may name, whether or not it names them by seat, or as those of an agent. */
export function modelNamesIn(name: string): readonly string[] {
  return [name, ...assignmentsIn(name).flat()].flatMap((each) => [
    each,
    each.slice(each.lastIndexOf("@") + 1),
  ]);
}

/** The names of models by seat; `undefined` for one model. Throws a `UsageError` for a seat that the environment lacks. */
export function seatModelNames(
  environment: Environment,
  name: string,
): ReadonlyMap<string, string> | undefined {
  const seats = seatNamesOf(environment);
  // A server's model may have commas and equal signs in its name.
  if (seats.length === 0 || !/^[A-Za-z][\w-]*=/.test(name)) return undefined;
  const names = new Map<string, string>();
  for (const [seat, model] of assignmentsIn(name)) {
    if (!seats.includes(seat))
      throw new UsageError(
        `${environment.name} has no seat named ${JSON.stringify(seat)}. Its seats are: ${seats.join(", ")}.`,
      );
    if (names.has(seat))
      throw new UsageError(`-m names two models for the seat ${seat}. Remove one of them.`);
    if (model === "")
      throw new UsageError(`Missing model for the seat ${seat}. Write ${seat}=<model>.`);
    names.set(seat, model);
  }
  return names;
}

/** Reads `<seat>=<model>,<seat>=<model>`. A reference without a seat is returned as the seat of an empty model. */
export function assignmentsIn(name: string): readonly (readonly [seat: string, model: string])[] {
  return name.split(/,(?=[A-Za-z][\w-]*=)/).map((assignment) => {
    const [seat = "", model = ""] = assignment.split(/=(.*)/s, 2);
    return [seat, model];
  });
}

import type { Environment } from "../definition/environment.ts";
import { modelCheck } from "../definition/inspect.ts";
import { bestPolicy, partsOf } from "../definition/part.ts";
import { seatNamesOf } from "../definition/seat-names.ts";
import { defaultSeats, type Seats, trainableSeats } from "../definition/seat.ts";
import { unknownSeat, unplayedPart, unplayedSeat, withoutSeats } from "../episode/seat-players.ts";
import { ConfigError } from "../errors.ts";
import { checkModel, type Model } from "../model/model.ts";

/** Models by the names of seats. The first is the model that the reward of the rollout belongs to. */
export type SeatModels<Seat extends string = string> = {
  readonly [Key in Seat]?: Model | undefined;
};

/** What plays an environment: one model, or with seats one for each of some seats. */
export type Models<Seat extends string = string> = [Seat] extends [never]
  ? Model
  : Model | SeatModels<Seat>;

/** The models of one rollout. */
export interface Assignment {
  /** The seat that `model` plays; `undefined` without seats. */
  readonly seat: string | undefined;
  readonly model: Model;
  /** The models of other seats. A policy plays each seat that is absent. */
  readonly others: Readonly<Record<string, Model>>;
}

/** The model whose reward is the reward of the rollout. Throws a `ConfigError` without one. */
export function firstModel(models: Models): Model {
  if (typeof models === "function") return models;
  const first = Object.values(models ?? {}).find((model) => model !== undefined);
  if (first === undefined && typeof models === "object" && models !== null)
    throw new ConfigError("No model was passed for any seat. Pass one: { white: model }.");
  // Not an object either: the check of the model explains it.
  return first ?? (models as unknown as Model);
}

/**
 * Assigns models to the seats for one example. In a mix, these are the seats of the part that plays the example; models of other
 * parts' seats are ignored. `shift` moves each model on by that many trainable seats, in the order of the definition.
 */
export function assignModels(environment: Environment, models: Models, shift = 0): Assignment {
  const seats = environment.definition.seats?.players;
  if (seats === undefined) return { seat: undefined, model: firstModel(models), others: {} };
  const order = trainableSeats(seats);
  const shifted = entriesOf(models, seats).map(([seat, model]) => {
    const position = order.indexOf(seat);
    return [position < 0 ? seat : order[(position + shift) % order.length]!, model] as const;
  });
  const [[seat, model], ...others] = shifted as [(typeof shifted)[number]];
  return { seat, model, others: Object.fromEntries(others) };
}

function entriesOf(models: Models, seats: Seats): readonly (readonly [string, Model])[] {
  if (typeof models === "function") return defaultSeats(seats).map((seat) => [seat, models]);
  return entriesIn(models).filter(([seat]) => Object.hasOwn(seats, seat));
}

function entriesIn(models: SeatModels): readonly (readonly [string, Model])[] {
  return Object.entries(models).flatMap(([seat, model]) => (model ? [[seat, model] as const] : []));
}

/** Throws a `ConfigError` for models that cannot play an environment, or that leave a seat without a player. */
export function checkModels(environment: Environment, models: Models, rotates = false): void {
  const names = seatNamesOf(environment);
  const isBySeat = typeof models === "object" && models !== null;
  if (names.length === 0 && isBySeat && entriesIn(models).length > 0)
    throw withoutSeats(environment.name);
  if (names.length === 0 || !isBySeat) checkModel(models as Model, modelCheck(environment));
  if (names.length === 0) return;
  firstModel(models);
  for (const [seat] of isBySeat ? entriesIn(models) : [])
    if (!names.includes(seat)) throw unknownSeat(environment.name, seat, names);
  const parts = allPartsOf(environment);
  for (const part of parts.length > 0 ? parts : [environment]) {
    if (isBySeat) checkSeatModels(part, models, parts.length > 0);
    checkSeats(part, models, rotates);
  }
}

/** The parts of a mix, and of the mixes that it mixes. */
function allPartsOf(environment: Environment): readonly Environment[] {
  return partsOf(environment).flatMap(([, part]) => {
    const parts = allPartsOf(part);
    return parts.length > 0 ? parts : [part];
  });
}

/** Throws a `ConfigError` for a model of a seat that cannot play an environment. A mix has the policy `best` in each part. */
function checkSeatModels(environment: Environment, models: SeatModels, isPart: boolean): void {
  const seats = environment.definition.seats?.players;
  const { policies, ...facts } = modelCheck(environment);
  const known = isPart && policies.length > 0 ? [...policies, bestPolicy] : policies;
  const own =
    seats === undefined ? [firstModel(models)] : entriesOf(models, seats).map(([, model]) => model);
  if (seats !== undefined && own.length === 0)
    throw unplayedPart(environment.name, Object.keys(seats));
  for (const model of own) checkModel(model, { ...facts, policies: known });
}

function checkSeats(environment: Environment, models: Models, rotates: boolean): void {
  const seats = environment.definition.seats?.players;
  if (seats === undefined) return;
  const shifts = rotates ? trainableSeats(seats).length : 1;
  for (let shift = 0; shift < shifts; shift += 1) {
    const { seat, others } = assignModels(environment, models, shift);
    const open = Object.keys(seats).find(
      (each) => each !== seat && others[each] === undefined && seats[each]!.policy === undefined,
    );
    if (open !== undefined) throw unplayedSeat(environment.name, open);
  }
}

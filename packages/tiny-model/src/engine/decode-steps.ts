import type { Arena } from "./arena.ts";

/** One token to read. */
export interface DecodeStep {
  readonly id: number;
  /** The slot that caches the token's conversation. */
  readonly slot: number;
  /** Index of the token in its conversation. */
  readonly position: number;
  /** Whether to compute the distribution of the next token. */
  readonly isLast: boolean;
  readonly temperature: number;
}

/** Addresses of one number for each step; of the last steps alone for `chosen` and `inverseTemperatures`. */
interface StepBuffers {
  readonly ids: number;
  readonly slots: number;
  readonly positions: number;
  readonly chosen: number;
  readonly inverseTemperatures: number;
}

/** The maximum inverse temperature: larger values would overflow single precision to NaN, and not change the distribution. */
const maxInverseTemperature = 1e30;

/** Copies steps into memory. Returns the number of those whose next token is wanted; `chosen` has their rows. */
export function writeSteps(arena: Arena, at: StepBuffers, steps: readonly DecodeStep[]): number {
  const ids = arena.ints(at.ids, steps.length);
  const slots = arena.ints(at.slots, steps.length);
  const positions = arena.ints(at.positions, steps.length);
  const last: number[] = [];
  for (const [row, step] of steps.entries()) {
    ids[row] = step.id;
    slots[row] = step.slot;
    positions[row] = step.position;
    if (step.isLast) last.push(row);
  }
  arena.ints(at.chosen, last.length).set(last);
  const inverses = arena.floats(at.inverseTemperatures, last.length);
  for (const [index, row] of last.entries()) {
    const { temperature } = steps[row]!;
    inverses[index] = temperature === 0 ? 1 : Math.min(1 / temperature, maxInverseTemperature);
  }
  return last.length;
}

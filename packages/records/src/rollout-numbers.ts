import type { ReadRollout } from "./read-rollout.ts";

/** Numbers the rollouts of an example, in the order of their records, where the records do not. */
export class RolloutNumbers {
  readonly #next = new Map<string, number>();

  next({ rollout, isNumbered }: Pick<ReadRollout, "rollout" | "isNumbered">): number {
    const { exampleKey, rolloutIndex } = rollout;
    const number = isNumbered ? rolloutIndex : (this.#next.get(exampleKey) ?? 0);
    this.#next.set(exampleKey, number + 1);
    return number;
  }
}

import { type ReadRollout, RolloutNumbers } from "@envs/records";

import type { RowPlace } from "./summarize.ts";

/**
 * Names the rollouts of a run in the order of its records. Records without a number of the attempt are counted by example. A
 * record that was written again has the id of the first, so that the viewer replaces it.
 */
export class RowIds {
  readonly #numbers = new RolloutNumbers();
  readonly #keys = new Map<string, string>();
  #broken = 0;

  next(read: ReadRollout): Pick<RowPlace, "id" | "rollout"> {
    const rollout = this.#numbers.next(read);
    const name = `${safeName(read.example)}-${rollout}`;
    const identity = `${read.rollout.exampleKey} ${rollout}`;
    // Two sources of one training may have an example of the same number.
    for (let copy = 1; ; copy += 1) {
      const id = copy === 1 ? name : `${name}~${copy}`;
      const owner = this.#keys.get(id);
      if (owner !== undefined && owner !== identity) continue;
      this.#keys.set(id, identity);
      return { id, rollout };
    }
  }

  nextBroken(): Pick<RowPlace, "id" | "rollout"> {
    this.#broken += 1;
    return { id: `broken-${this.#broken}`, rollout: 0 };
  }
}

/** A name that an address can contain without escapes. */
export function safeName(text: string): string {
  const safe = text.replaceAll(/[^\w.-]+/gu, "_").slice(0, 80);
  return /^\.*$/u.test(safe) ? `_${safe}` : safe;
}

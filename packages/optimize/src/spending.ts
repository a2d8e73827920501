import { ConfigError, type ModelResponse } from "@envs/core";
import { costOf, type TokenPrice } from "@envs/models/prices";

import type { Paid } from "./evaluate-prompts.ts";

/** The limits that end an optimization. At least one limit is required. */
export interface OptimizeBudget {
  /** The number of rollouts, without those of the held-out examples. */
  readonly rollouts?: number | undefined;
  /** The cost of the model, of the reflective model, and of judges, sub-models and helpers with a known price. */
  readonly cost?: number | undefined;
}

/** The spending of an optimization. Results from the journal count as in the run that paid for them. */
export class Spending {
  rollouts = 0;
  reflections = 0;
  cost = 0;
  readonly #counted = new WeakSet<Paid>();
  readonly #budget: OptimizeBudget;
  readonly #prices: {
    readonly model?: TokenPrice | undefined;
    readonly reflection?: TokenPrice | undefined;
  };

  constructor(
    budget: OptimizeBudget,
    prices: {
      readonly model?: TokenPrice | undefined;
      readonly reflection?: TokenPrice | undefined;
    },
  ) {
    const { rollouts, cost } = budget;
    if (rollouts === undefined && cost === undefined)
      throw new ConfigError("Missing budget. Set a number of rollouts, a cost, or both.");
    if (cost !== undefined && (prices.model === undefined || prices.reflection === undefined))
      throw new ConfigError(
        "A budget of cost requires the prices of the model and of the reflective model.",
      );
    this.#budget = budget;
    this.#prices = prices;
  }

  /** Counts a trial once: the journal returns it again for the same prompts and example. */
  addTrial(trial: Paid): void {
    if (this.#counted.has(trial)) return;
    this.#counted.add(trial);
    this.rollouts += 1;
    this.addCost(trial);
  }

  addCost({ otherCost = 0, ...usage }: Paid): void {
    const { model } = this.#prices;
    this.cost += otherCost + (model === undefined ? 0 : costOf(usage, model));
  }

  addReflection({ usage }: Pick<ModelResponse, "usage">): void {
    this.reflections += 1;
    const { reflection } = this.#prices;
    if (usage !== undefined && reflection !== undefined) this.cost += costOf(usage, reflection);
  }

  /** Whether `rollouts` more rollouts stay within the budget. */
  allows(rollouts: number): boolean {
    const { rollouts: limit = Infinity, cost = Infinity } = this.#budget;
    return this.rollouts + rollouts <= limit && this.cost < cost;
  }
}

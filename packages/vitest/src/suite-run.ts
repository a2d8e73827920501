import {
  type Environment,
  type Example,
  type Model,
  type Rollout,
  rollouts,
  type RolloutsOptions,
} from "@envs/core";
import { mapValues } from "@envs/core/engine";

import { BudgetMeter } from "./budget.ts";
import type { CassetteFile } from "./cassettes/cassette-file.ts";
import type { SuitePlan } from "./options.ts";

interface Group {
  readonly rollouts: Rollout[];
  readonly done: PromiseWithResolvers<void>;
}

/**
 * The trials of a suite, which run together: each test waits for those of its example. So a suite uses the concurrency of an
 * evaluation although its tests finish one after another.
 */
export class SuiteRun {
  readonly meter: BudgetMeter;
  readonly #groups: ReadonlyMap<string, Group>;
  readonly #stop = new AbortController();
  readonly #finished: Promise<void>;

  constructor(
    environment: Environment,
    plan: SuitePlan,
    {
      keys,
      cassette,
    }: { readonly keys: ReadonlySet<string>; readonly cassette: CassetteFile | undefined },
  ) {
    this.meter = new BudgetMeter(plan.budget);
    this.#groups = new Map(
      [...keys].map((key) => [key, { rollouts: [], done: Promise.withResolvers<void>() }]),
    );
    for (const { done } of this.#groups.values()) done.promise.catch(() => {});
    this.#finished = this.#play(environment, this.#options(plan, { keys, cassette }));
  }

  /** The trials of an example, once all have ended. Rejects with the error that ended the run earlier. */
  async trials(key: string): Promise<readonly Rollout[]> {
    const group = this.#groups.get(key);
    if (group === undefined) throw new Error(`No trial of the example ${key} was planned.`);
    await group.done.promise;
    return group.rollouts;
  }

  /** All trials so far. */
  get rollouts(): readonly Rollout[] {
    return [...this.#groups.values()].flatMap((group) => group.rollouts);
  }

  /** Ends the trials that are still running. */
  async close(): Promise<void> {
    this.#stop.abort(new Error("The tests have ended."));
    await this.#finished;
  }

  #options(
    plan: SuitePlan,
    {
      keys,
      cassette,
    }: { readonly keys: ReadonlySet<string>; readonly cassette: CassetteFile | undefined },
  ): RolloutsOptions {
    const wrap = (model: Model): Model =>
      this.meter.wrap(
        cassette?.wrap(model) ?? model,
        plan.prices?.get(model),
        mapValues(model.helpers ?? {}, (helper) => plan.prices?.get(helper)),
      );
    const { judge, subModel } = plan;
    const judges = typeof judge === "function" ? [judge] : judge;
    const { select = (all) => all } = plan;
    return {
      ...plan,
      // Chosen after the caller's own selection. Keys are unique, so no other example is played.
      select: (all) => onlyKeys(select(all), keys),
      examples: keys.size,
      rolloutsPerExample: plan.trials,
      signal: this.#stop.signal,
      model: wrap(plan.model),
      judge: judges?.map(wrap),
      subModel: subModel === undefined ? undefined : wrap(subModel),
    };
  }

  async #play(environment: Environment, options: RolloutsOptions): Promise<void> {
    try {
      for await (const rollout of rollouts<Example, unknown, string>(environment, options)) {
        const group = this.#groups.get(rollout.exampleKey)!;
        group.rollouts.push(rollout);
        if (group.rollouts.length === options.rolloutsPerExample) group.done.resolve();
      }
      this.#reject(new Error("The run has ended before this example was played."));
    } catch (error) {
      this.#reject(error);
    }
  }

  #reject(error: unknown): void {
    for (const { done } of this.#groups.values()) done.reject(error);
  }
}

async function* onlyKeys<E extends { readonly key: string }>(
  examples: AsyncIterable<E>,
  keys: ReadonlySet<string>,
): AsyncGenerator<E> {
  let remaining = keys.size;
  for await (const example of examples) {
    if (!keys.has(example.key)) continue;
    yield example;
    // A dataset may be infinite.
    if ((remaining -= 1) === 0) return;
  }
}

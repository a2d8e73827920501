import { ConfigError, type Environment, random as createRandom, type Random } from "@envs/core";
import { contentHash, type KeyedExample } from "@envs/core/engine";

import { bestOf, type Candidate, meanOf } from "./candidate.ts";
import { evaluatePrompts } from "./evaluate-prompts.ts";
import { compareHeldOut } from "./held-out.ts";
import { type Journal, memoryJournal, type Trial } from "./journal.ts";
import { proposeMerge } from "./merge.ts";
import type { OptimizeEvent, OptimizeOptions, OptimizeResult } from "./options.ts";
import { drawFromFront, paretoFront } from "./pareto.ts";
import { type Prompts, promptsOf } from "./prompts.ts";
import { reflect } from "./reflect.ts";
import { Spending } from "./spending.ts";
import { splitExamples } from "./split-examples.ts";

/**
 * Evolves the prompts of an environment by reflection: a model reads conversations with their rewards and feedback, and writes a
 * better prompt; proposals that improve a minibatch are played on all selection examples, and the Pareto front over these decides which
 * candidate is changed next. Source: Agrawal et al. 2025, "GEPA: Reflective Prompt Evolution Can Outperform Reinforcement Learning".
 */
export async function optimize(
  environment: Environment,
  options: OptimizeOptions,
): Promise<OptimizeResult> {
  const search = await Search.start(environment, options);
  await search.run();
  return await search.result();
}

class Search {
  readonly #environment: Environment;
  readonly #options: OptimizeOptions;
  readonly #split: Awaited<ReturnType<typeof splitExamples>>;
  readonly #spending: Spending;
  readonly #journal: Journal;
  readonly #random: Random;
  readonly #candidates: Candidate[] = [];
  /** The number of changes of each candidate, whose prompts take turns. */
  readonly #turns = new Map<number, number>();
  #rejected = 0;
  #failures = 0;
  #merged = 0;
  #isMergeDue = false;

  private constructor(
    environment: Environment,
    options: OptimizeOptions,
    split: Awaited<ReturnType<typeof splitExamples>>,
  ) {
    this.#environment = environment;
    this.#options = options;
    this.#split = split;
    this.#spending = new Spending(options.budget, {
      model: options.price,
      reflection: options.reflectionPrice,
    });
    this.#journal = options.journal ?? memoryJournal();
    this.#random = createRandom(options.seed ?? 0, "optimize");
  }

  static async start(environment: Environment, options: OptimizeOptions): Promise<Search> {
    return new Search(environment, options, await splitExamples(environment, options));
  }

  async run(): Promise<void> {
    const { selection } = this.#split;
    if (!this.#spending.allows(selection.length))
      throw new ConfigError(
        `The budget is smaller than one evaluation of ${selection.length} examples. Raise it, or lower trainExamples.`,
      );
    await this.#add(promptsOf(this.#environment), { parents: [], changed: [] });
    const { minibatch = 3, patience = 20 } = this.#options;
    while (this.#failures < patience) {
      this.#options.signal?.throwIfAborted();
      if (!this.#spending.allows(2 * minibatch + selection.length)) return;
      const isImproved = (await this.#tryMerge()) ?? (await this.#tryReflection());
      this.#failures = isImproved ? 0 : this.#failures + 1;
    }
  }

  async result(): Promise<OptimizeResult> {
    const best = bestOf(this.#candidates);
    const heldOut = await compareHeldOut(
      [this.#candidates[0]!, best],
      async (prompts) => await this.#play(prompts, this.#split.heldOut, { isCounted: false }),
    );
    const { price } = this.#options;
    const { rollouts, reflections, cost } = this.#spending;
    return {
      environment: this.#environment.name,
      best,
      candidates: this.#candidates,
      rejected: this.#rejected,
      heldOut,
      rollouts,
      reflections,
      cost: price === undefined ? undefined : cost,
    };
  }

  /** Merges two candidates after an improvement. `undefined` if there is nothing to merge. */
  async #tryMerge(): Promise<boolean | undefined> {
    const { merges = 5 } = this.#options;
    if (!this.#isMergeDue || this.#merged >= merges) return undefined;
    this.#isMergeDue = false;
    const known = new Set(this.#candidates.map(({ prompts }) => contentHash(prompts)));
    const merge = proposeMerge(
      this.#candidates,
      paretoFront(this.#candidates).map(({ candidate }) => candidate),
      { random: this.#random, isKnown: (prompts) => known.has(contentHash(prompts)) },
    );
    if (merge === undefined) return undefined;
    this.#merged += 1;
    const { first, second, prompts } = merge;
    const sample = this.#random.shuffle(this.#split.selection).slice(0, 5);
    const trials = await this.#play(prompts, sample);
    const shared = [...trials].filter(([key]) => first.rewards.has(key) && second.rewards.has(key));
    const after = meanOf(shared.map(([, { reward }]) => reward));
    const before = Math.max(
      ...[first, second].map(({ rewards }) => meanOf(shared.map(([key]) => rewards.get(key)!))),
    );
    const origin = {
      parents: [first.id, second.id],
      changed: changes(first.prompts, prompts),
    };
    if (shared.length > 0 && after >= before) {
      await this.#add(prompts, origin);
      return true;
    }
    return this.#reject({ ...origin, before, after });
  }

  async #tryReflection(): Promise<boolean> {
    const { minibatch = 3 } = this.#options;
    const parent = drawFromFront(paretoFront(this.#candidates), this.#random);
    const names = Object.keys(parent.prompts);
    const turn = this.#turns.get(parent.id) ?? 0;
    this.#turns.set(parent.id, turn + 1);
    const name = names[turn % names.length]!;
    const batch = this.#random.shuffle(this.#split.reflection).slice(0, minibatch);
    const trials = await this.#play(parent.prompts, batch);
    const text = await this.#reflect({
      name,
      prompts: parent.prompts,
      trials: [...trials.values()],
    });
    const origin = { parents: [parent.id], changed: [name] };
    const before = meanOf([...trials.values()].map(({ reward }) => reward));
    if (text === undefined || text === parent.prompts[name])
      return this.#reject({ ...origin, before, after: before });
    const prompts = { ...parent.prompts, [name]: text };
    const proposed = await this.#play(prompts, batch);
    const shared = [...proposed].filter(([key]) => trials.has(key));
    const old = meanOf(shared.map(([key]) => trials.get(key)!.reward));
    const after = meanOf(shared.map(([, { reward }]) => reward));
    if (shared.length === 0 || after <= old) return this.#reject({ ...origin, before: old, after });
    await this.#add(prompts, origin);
    this.#isMergeDue = true;
    return true;
  }

  async #reflect(reflection: {
    readonly name: string;
    readonly prompts: Prompts;
    readonly trials: readonly Trial[];
  }): Promise<string | undefined> {
    const { description = "" } = this.#environment.definition;
    return await reflect(
      { ...reflection, description },
      {
        model: this.#options.reflection,
        journal: this.#journal,
        signal: this.#options.signal ?? new AbortController().signal,
        onAnswer: (response) => this.#spending.addReflection(response),
      },
    );
  }

  #reject(proposal: Omit<Extract<OptimizeEvent, { type: "rejected" }>, "type">): false {
    this.#rejected += 1;
    this.#options.onEvent?.({ type: "rejected", ...proposal });
    return false;
  }

  /** Plays prompts on all selection examples and adds them to the candidates. */
  async #add(prompts: Prompts, origin: Pick<Candidate, "parents" | "changed">): Promise<void> {
    const trials = await this.#play(prompts, this.#split.selection);
    const rewards = new Map([...trials].map(([key, { reward }]) => [key, reward]));
    if (rewards.size === 0)
      throw new ConfigError(
        "No rollout of the selection examples could be finished. Evaluate the environment to see why: envs eval",
      );
    const candidate: Candidate = {
      id: this.#candidates.length,
      prompts,
      ...origin,
      rewards,
      mean: meanOf(rewards.values()),
      rollouts: this.#spending.rollouts,
    };
    this.#candidates.push(candidate);
    this.#options.onEvent?.({ type: "candidate", candidate, best: bestOf(this.#candidates) });
  }

  async #play(
    prompts: Prompts,
    played: readonly KeyedExample[],
    { isCounted = true } = {},
  ): Promise<ReadonlyMap<string, Trial>> {
    const { model, sampling, concurrency, maxTurns } = this.#options;
    const { turnTimeout, rolloutTimeout, signal, seed } = this.#options;
    const { judge, judgeStore, judgeConcurrency, judgeTimeout } = this.#options;
    const { subModel, subModelConcurrency, otherCost } = this.#options;
    const { split } = this.#split;
    const limits = { concurrency, maxTurns, turnTimeout, rolloutTimeout, signal };
    const judges = { judge, judgeStore, judgeConcurrency, judgeTimeout };
    return await evaluatePrompts(
      this.#environment,
      { prompts, examples: played },
      {
        ...limits,
        model,
        sampling,
        ...judges,
        subModel,
        subModelConcurrency,
        seed,
        split: isCounted ? split.train : split.heldOut,
        journal: this.#journal,
        otherCost,
        onTrial: (trial) => {
          if (isCounted) this.#spending.addTrial(trial);
          else this.#spending.addCost(trial);
        },
        onFailure: (paid) => this.#spending.addCost(paid),
      },
    );
  }
}

function changes(before: Prompts, after: Prompts): readonly string[] {
  return Object.keys(after).filter((name) => after[name] !== before[name]);
}

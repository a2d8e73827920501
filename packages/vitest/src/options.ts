import { ConfigError, type Model, type RolloutsOptions } from "@envs/core";
import { findPrice, type TokenPrice } from "@envs/models/prices";

import type { Budget } from "./budget.ts";
import type { Normaliser } from "./cassettes/normalise.ts";
import { checkGate, type Gate } from "./gate.ts";

/** How an environment is tested. The options of `rollouts` mean the same as there. */
export interface DescribeOptions extends Omit<
  RolloutsOptions,
  "rolloutsPerExample" | "skip" | "onEvent" | "signal"
> {
  /** The name of the suite. Default: the environment and the model. */
  readonly name?: string | undefined;
  /** The number of rollouts of each example. Default 3. */
  readonly trials?: number | undefined;
  /** The minimum reward of a trial that passes. Default 0.5. */
  readonly passThreshold?: number | undefined;
  /**
   * What the test of an example requires: that `some` trials pass (the default: only broken examples fail), that `all` do
   * (flaky ones fail, too), or `none`: the gate alone decides. A trial that could not be finished always fails its test.
   */
  readonly each?: "some" | "all" | "none" | undefined;
  /** The gates for all examples together. */
  readonly gate?: Gate | undefined;
  readonly budget?: Budget | undefined;
  /**
   * The price of the tokens of the model and of the sub-model, for a budget of cost. Default: that of a known model on its provider's
   * server; of an agent, that of the model that answers it.
   */
  readonly price?: TokenPrice | undefined;
  /**
   * The file with recorded replies. Default: in `__cassettes__` beside the test file. `false` calls the model in every run. Policies
   * are never recorded.
   */
  readonly cassette?: string | false | undefined;
  /**
   * Replace, in every text of a request, what differs between runs or machines, to find its recording. Default: `normaliseDates`,
   * `normaliseIds` and `normalisePaths`.
   */
  readonly normalise?: readonly Normaliser[] | undefined;
  /** The time limit of each test in milliseconds, in which it waits for its trials. Default 10 minutes. */
  readonly timeout?: number | undefined;
}

/** Options with their defaults. */
export interface SuitePlan extends DescribeOptions {
  readonly trials: number;
  readonly passThreshold: number;
  readonly each: "some" | "all" | "none";
  readonly timeout: number;
  /** The known prices of models, sub-models and judges. */
  readonly prices?: ReadonlyMap<Model, TokenPrice> | undefined;
}

/** Fills in the defaults. Throws a `ConfigError` for options that cannot work, before any call of a model. */
export function planOf(options: DescribeOptions): SuitePlan {
  const { trials = 3, passThreshold = 0.5, each = "some", timeout = 600_000 } = options;
  const { gate = {} } = options;
  if (!Number.isInteger(trials) || trials < 1)
    throw new ConfigError(`trials is ${trials}. It must be a whole number of at least 1.`);
  checkGate(gate, trials);
  return { ...options, trials, passThreshold, each, timeout };
}

/** The plan with the prices that its budget needs. Throws a `ConfigError` if that of the model is unknown. */
export async function withPrices(plan: SuitePlan): Promise<SuitePlan> {
  const { model, subModel, judge = [], price, budget } = plan;
  const judges = typeof judge === "function" ? [judge] : judge;
  const players = subModel === undefined ? [model] : [model, subModel];
  const prices = new Map<Model, TokenPrice>();
  const add = (each: Model, own: TokenPrice | undefined): void => {
    if (own !== undefined) prices.set(each, own);
  };
  if (budget?.cost !== undefined)
    for (const each of [...judges, ...players, ...Object.values(model.helpers ?? {})])
      add(each, await knownPrice(each));
  if (price !== undefined) for (const each of players) prices.set(each, price);
  const own = prices.get(model);
  if (budget?.cost !== undefined && own === undefined)
    throw new ConfigError(
      `A budget of cost requires the price of the model's tokens, and that of ${answering(model).id ?? "this model"} is not known. Pass price: { input, output }, each per million tokens.`,
    );
  if (subModel !== undefined && !prices.has(subModel)) add(subModel, own);
  return { ...plan, prices };
}

async function knownPrice(model: Model): Promise<TokenPrice | undefined> {
  const { id: name = "", baseURLs } = answering(model);
  return await findPrice({ name, baseURLs: baseURLs?.() ?? [], date: new Date() });
}

/** The model that answers an agent's calls; other models are returned as they are. */
function answering(model: Model): Model {
  let found: Model | undefined;
  model.wrapModel?.((inner) => {
    found ??= inner;
    return inner;
  });
  return found ?? model;
}

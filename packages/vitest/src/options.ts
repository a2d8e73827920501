import { ConfigError, type RolloutsOptions } from "@envs/core";
import { findPrice, type TokenPrice } from "@envs/models/prices";

import type { Budget } from "./budget.ts";
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
  /** The price of the model's tokens, for a budget of cost. Default: that of a known model on its provider's server. */
  readonly price?: TokenPrice | undefined;
  /**
   * The file with recorded replies. Default: in `__cassettes__` beside the test file. `false` calls the model in every run. Policies
   * are never recorded.
   */
  readonly cassette?: string | false | undefined;
  /** The time limit of each test in milliseconds, in which it waits for its trials. Default 10 minutes. */
  readonly timeout?: number | undefined;
}

/** Options with their defaults. */
export interface SuitePlan extends DescribeOptions {
  readonly trials: number;
  readonly passThreshold: number;
  readonly each: "some" | "all" | "none";
  readonly timeout: number;
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

/** The plan with the price that its budget needs. Throws a `ConfigError` if it is unknown. */
export async function withPrice(plan: SuitePlan): Promise<SuitePlan> {
  if (plan.budget?.cost === undefined || plan.price !== undefined) return plan;
  const { id: name = "", baseURLs } = plan.model;
  const price = await findPrice({ name, baseURLs: baseURLs?.() ?? [], date: new Date() });
  if (price !== undefined) return { ...plan, price };
  throw new ConfigError(
    `A budget of cost requires the price of the model's tokens, and that of ${name === "" ? "this model" : name} is not known. Pass price: { input, output }, each per million tokens.`,
  );
}

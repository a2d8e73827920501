import type { Environment, SubModelUsages } from "@envs/core";
import { asksSubModel, checkSubModel } from "@envs/core/engine";
import { costOf } from "@envs/models/prices";
import type { ArgsDef } from "citty";

import type { Endpoint } from "../config-file.ts";
import { integerOption } from "../terminal/arguments.ts";
import { UsageError } from "../terminal/errors.ts";
import { valueOption } from "../terminal/options.ts";
import { type OptionValues, textOptions } from "../text/text-option.ts";
import { loadModel } from "./load-model.ts";
import type { LoadedModel } from "./loaded-model.ts";

/** The options that name a sub-model, for every command that plays rollouts. */
export const subModelArguments = {
  "sub-model": valueOption(
    "The model that answers the environment's sub-model calls, named as with -m (default: the model that plays)",
    "model",
  ),
  "sub-model-base-url": valueOption("URL of the sub-model's server, including /v1", "url"),
  "sub-model-concurrency": valueOption(
    "Maximum number of concurrent sub-model calls (default 32)",
    "count",
  ),
} as const satisfies ArgsDef;

/** The sub-model that a command asks, as plans store it. */
export interface SubModelPlan {
  /** Default: the model that plays. */
  readonly subModel?: string | undefined;
  readonly subModelBaseURL?: string | undefined;
  readonly subModelConcurrency?: number | undefined;
}

/** Reads the options of {@link subModelArguments}. */
export function subModelPlan(args: OptionValues<keyof typeof subModelArguments>): SubModelPlan {
  const text = textOptions(args);
  return {
    subModel: text("sub-model"),
    subModelBaseURL: text("sub-model-base-url"),
    subModelConcurrency: integerOption("sub-model-concurrency", text("sub-model-concurrency")),
  };
}

type Endpoints = Readonly<Record<string, Endpoint>>;

/** Loads the sub-model that a plan names; `undefined` if it names none, or if the environment asks none. */
export async function loadSubModel(
  environment: Environment,
  { subModel, subModelBaseURL: baseURL, subModelConcurrency: concurrency = 32 }: SubModelPlan,
  endpoints: Endpoints,
): Promise<LoadedModel | undefined> {
  if (subModel === undefined || !asksSubModel(environment)) return undefined;
  if (subModel.startsWith("policy:"))
    throw new UsageError(
      `${subModel} cannot answer sub-model calls: a policy plays its environment. Pass a language model to --sub-model.`,
    );
  const loaded = await loadModel(subModel, { endpoints, baseURL, concurrency });
  checkSubModel(environment, { subModel: loaded.model });
  return loaded;
}

/** What sub-model calls cost; `undefined` without calls, or if the price of the model is unknown. */
export function subModelCost(
  usages: SubModelUsages | undefined,
  price: LoadedModel["price"],
): number | undefined {
  if (usages === undefined || price === undefined) return undefined;
  return Object.values(usages).reduce((sum, usage) => sum + costOf(usage, price), 0);
}

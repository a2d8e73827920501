import { ConfigError } from "../errors.ts";
import { omitUndefined } from "../json.ts";
import { mediaLimitsOf } from "../message/check-content.ts";
import { checkModel, type Model } from "../model/model.ts";
import { resolveSetting } from "./config.ts";
import type { AnyDefinition, Environment } from "./environment.ts";

/** Whether the hooks of an environment ask a sub-model. */
export function asksSubModel({ definition }: Pick<Environment, "definition">): boolean {
  return definition.subModel !== undefined;
}

/** How much the hooks of an environment may ask a sub-model in one rollout. An absent limit means no limit. */
export interface SubModelBudget {
  readonly maxCalls?: number | undefined;
  readonly maxTokens?: number | undefined;
}

/** The budget of an environment with its config; `undefined` without a sub-model. */
export function subModelBudget({
  definition: { subModel },
  config,
}: Pick<Environment, "definition" | "config">): SubModelBudget | undefined {
  if (subModel === undefined) return undefined;
  const limit = (setting: typeof subModel.maxTokens): number | undefined => {
    const value = resolveSetting(setting, config);
    return value === Infinity ? undefined : value;
  };
  return omitUndefined({
    maxCalls: limit(subModel.maxCalls),
    maxTokens: limit(subModel.maxTokens),
  });
}

/** Throws a `ConfigError` for a sub-model that cannot answer, or if none was passed where the driver has no model. */
export function checkSubModel(
  environment: Environment,
  { subModel, isRequired = false }: { subModel?: Model | undefined; isRequired?: boolean },
): void {
  const { name, definition } = environment;
  if (subModel !== undefined)
    return checkModel(subModel, {
      name: `the sub-model of ${name}`,
      policies: [],
      media: mediaLimitsOf(definition).kinds,
    });
  if (isRequired && asksSubModel(environment))
    throw new ConfigError(
      `${name} asks a sub-model, and none was passed. Pass a model as the option subModel, or --sub-model on the command line.`,
    );
}

/** Throws a `ConfigError` for a definition whose sub-model could not answer. */
export function checkSubModelDefinition({
  name,
  subModel,
  policies = {},
  game,
}: AnyDefinition): void {
  if (subModel === undefined) return;
  for (const key of ["maxCalls", "maxTokens"] as const) {
    const limit = subModel[key];
    if (typeof limit !== "number" || limit >= 1) continue;
    throw new ConfigError(`subModel.${key} of ${name} is ${limit}. It is a number of at least 1.`);
  }
  const hasPolicy = Object.keys(policies).length > 0 || game?.choices !== undefined;
  if (hasPolicy && subModel.policy === undefined)
    throw new ConfigError(
      `${name} has policies and a sub-model, but no subModel.policy. A policy plays without a model: add subModel: { policy: ({ prompt }) => … }, which answers instead.`,
    );
}

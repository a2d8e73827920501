import type { Endpoint } from "@envs/cli/kit";
import { loadSubModel, type SubModelPlan } from "@envs/cli/kit/models";
import type { Environment } from "@envs/core";
import { checkSubModel } from "@envs/core/engine";

import type { LoadedSubModel } from "../host/sub-model-reference.ts";

interface ServedConfig {
  readonly plan: SubModelPlan;
  readonly endpoints: Readonly<Record<string, Endpoint>>;
}

/**
 * Loads the sub-model of an environment. A server imports this module in each of its processes.
 *
 * @public
 */
export default async function servedSubModel(
  environment: Environment,
  { plan, endpoints }: ServedConfig,
): Promise<LoadedSubModel | undefined> {
  const loaded = await loadSubModel(environment, plan, endpoints);
  return loaded && { subModel: loaded.model, close: loaded.close };
}

/** The options of a server whose processes load the sub-model of a plan. Throws if an environment needs one that is missing. */
export function subModelOptions(environments: readonly Environment[], config: ServedConfig) {
  const { subModel, subModelConcurrency } = config.plan;
  if (subModel !== undefined)
    return { subModel: { module: import.meta.url, config: { ...config } }, subModelConcurrency };
  for (const environment of environments) checkSubModel(environment, { isRequired: true });
  return {};
}

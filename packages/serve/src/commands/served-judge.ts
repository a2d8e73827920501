import type { Endpoint } from "@envs/cli/kit";
import { judgeNames, type JudgePlan, loadJudge } from "@envs/cli/kit/models";
import type { Environment } from "@envs/core";

import type { JudgeReference, LoadedJudge } from "../host/judge-reference.ts";

interface ServedJudgeConfig {
  readonly plan: JudgePlan;
  readonly endpoints: Readonly<Record<string, Endpoint>>;
}

/**
 * Loads the judge of an environment. A server imports this module in each of its processes.
 *
 * @public
 */
export default async function servedJudge(
  environment: Environment,
  { plan, endpoints }: ServedJudgeConfig,
): Promise<LoadedJudge | undefined> {
  const loaded = await loadJudge(environment, plan, endpoints);
  if (loaded === undefined) return undefined;
  return { judge: loaded.models, judgeStore: loaded.store, close: loaded.close };
}

/** The options of a server whose processes load the judges of a plan. Throws for a plan that does not fit the environments. */
export function judgeOptions(environments: readonly Environment[], config: ServedJudgeConfig) {
  for (const environment of environments) judgeNames(environment, config.plan);
  const { judgeConcurrency, judgeTimeout } = config.plan;
  const judge: JudgeReference = { module: import.meta.url, config: { ...config } };
  return { judge, judgeConcurrency, judgeTimeout };
}

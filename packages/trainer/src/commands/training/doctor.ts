import { printResult } from "@envs/cli/kit";
import { loadEnvironment } from "@envs/cli/kit/environments";

import { type TrainingPlan, trainingPlan } from "../../train/plan.ts";
import { examineService } from "./examine-service.ts";
import { loadRecipe, overridePlan, type PlanOverrides } from "./recipe.ts";
import type { ServiceAddress } from "./service-arguments.ts";
import { serviceReportText } from "./service-text.ts";
import { serviceKey, serviceURL } from "./service.ts";

export interface DoctorOptions {
  readonly environment: string | undefined;
  /** The file of a recipe. */
  readonly config: string | undefined;
  readonly overrides: PlanOverrides;
  readonly address: ServiceAddress;
  readonly isJson: boolean;
}

/** Prints what a service can do, and what a recipe lacks there. Returns the exit code: 0 if nothing is missing. */
export async function doctor(options: DoctorOptions): Promise<number> {
  const { environment, config, overrides, address, isJson } = options;
  const baseURL = serviceURL(address);
  const hasRecipe = environment !== undefined;
  const recipe = hasRecipe
    ? await loadRecipe(await loadEnvironment(environment), config)
    : undefined;
  const plan = planOf(recipe?.plan, overrides);
  const report = await examineService({ baseURL, apiKey: serviceKey(address) }, plan);
  const { problems, ...facts } = report;
  printResult(isJson, { ...facts, problems }, serviceReportText(report, recipe?.source));
  return problems.length === 0 ? 0 : 1;
}

/** Without a recipe, the base model of the command line alone. */
function planOf(
  plan: TrainingPlan | undefined,
  overrides: PlanOverrides,
): TrainingPlan | undefined {
  const served = { ...overrides, backend: "tinker" } as const;
  if (plan !== undefined) return overridePlan(plan, served);
  return overrides.baseModel === undefined
    ? undefined
    : overridePlan(trainingPlan.parse({ phases: {} }), served);
}

import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";

import { shellArgument, importDefault } from "@envs/cli/kit";
import type { LoadedEnvironment } from "@envs/cli/kit/environments";
import { ConfigError, type Model } from "@envs/core";
import * as z from "zod";

import type { ExactFigures } from "../../node/stages.ts";
import { backendOf } from "../../train/model-settings.ts";
import { type TrainingPlan, trainingPlan } from "../../train/plan.ts";
import { type ModelOverrides, overrideModel } from "./model-override.ts";

/** How to train on an environment. */
export interface Recipe {
  readonly plan: TrainingPlan;
  /** Evaluates a model exactly, without sampling, if the environment supports it. */
  readonly exact?: ((model: Model) => Promise<ExactFigures>) | undefined;
  /** The file or module of the recipe. */
  readonly source: string;
}

/** Loads the recipe in a file, or the environment package's export `<package>/training`. */
export async function loadRecipe(
  { packageName, reference }: LoadedEnvironment,
  file: string | undefined,
): Promise<Recipe> {
  const path = file === undefined ? packageRecipe(packageName) : resolve(file);
  if (path === undefined)
    throw new ConfigError(
      `${reference} has no training recipe. Write a file with the default export defineTraining({ phases: { … } }) and pass it with --config. To test whether a model can learn here: envs train ${shellArgument(reference)} --smoke`,
    );
  return parseRecipe(
    await importDefault(path, "Training recipe"),
    file ?? `${packageName}/training`,
  );
}

/** Loads the recipe of a training. A resumed run without a file continues by its plan if the recipe cannot be loaded. */
export async function recipeOf(
  loaded: LoadedEnvironment,
  file: string | undefined,
  resumedPlan: TrainingPlan | undefined,
): Promise<Recipe> {
  try {
    return await loadRecipe(loaded, file);
  } catch (error) {
    // A resumed run has its plan; without the recipe, only its exact evaluation is missing.
    if (resumedPlan !== undefined && file === undefined)
      return { plan: resumedPlan, source: "the run" };
    throw error;
  }
}

/** Parses the default export of a recipe. Throws a `ConfigError` if it is not valid. */
export function parseRecipe(recipe: unknown, source: string): Recipe {
  const { exact, ...plan } = (recipe ?? {}) as { readonly exact?: unknown };
  const parsed = trainingPlan.safeParse(plan);
  if (!parsed.success)
    throw new ConfigError(`Invalid training recipe ${source}:\n${z.prettifyError(parsed.error)}`);
  if (Object.keys(parsed.data.phases).length === 0)
    throw new ConfigError(`The training recipe ${source} has no phases. Add at least one.`);
  return {
    plan: parsed.data,
    source,
    exact: typeof exact === "function" ? (exact as Recipe["exact"]) : undefined,
  };
}

function packageRecipe(packageName: string | undefined): string | undefined {
  if (packageName === undefined) return undefined;
  try {
    return createRequire(join(process.cwd(), "noop.js")).resolve(`${packageName}/training`);
  } catch {
    return undefined;
  }
}

/** The parts of a plan that the command line can override. */
export interface PlanOverrides extends ModelOverrides {
  readonly seed?: number | undefined;
  /** Run only these phases, in the plan's order. */
  readonly phases?: readonly string[] | undefined;
}

/** Overrides parts of a plan. Throws a `ConfigError` for an unknown phase. */
export function overridePlan(
  plan: TrainingPlan,
  { seed, phases, ...model }: PlanOverrides,
): TrainingPlan {
  const unknown = phases?.find((name) => !Object.hasOwn(plan.phases, name));
  if (unknown !== undefined)
    throw new ConfigError(
      `The recipe has no phase ${JSON.stringify(unknown)}. Phases: ${Object.keys(plan.phases).join(", ")}.`,
    );
  const selected = Object.entries(plan.phases).filter(([name]) => phases?.includes(name) ?? true);
  return {
    ...plan,
    seed: seed ?? plan.seed,
    threads: model.threads ?? plan.threads,
    phases: Object.fromEntries(selected),
    model: overrideModel(plan.model, model),
  };
}

/** Returns a warning if the plan has more threads than the machine has processors. */
export function threadWarning({ threads, model }: TrainingPlan): string | undefined {
  const processors = availableParallelism();
  if (threads <= processors || backendOf(model) !== "tiny") return undefined;
  return `The recipe uses ${threads} threads, but this machine has ${processors} processors, so training will be slow. With another number of threads (--threads), rounding differs and the same seed gives a different model.`;
}

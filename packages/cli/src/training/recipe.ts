import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { ConfigError, type Model } from "@envs/core";
import { type TrainingPlan, trainingPlan } from "@envs/trainer";
import type { ExactFigures } from "@envs/trainer/node";
import * as z from "zod";

import type { LoadedEnvironment } from "../environments/load-environment.ts";

/** How to train on an environment: a plan, and what can be said without chance of a model, if there is such a thing. */
export interface Recipe {
  readonly plan: TrainingPlan;
  readonly exact?: (model: Model) => Promise<ExactFigures>;
  /** Where it came from. */
  readonly origin: string;
}

/** Reads the recipe in a config file, or the one that the environment's package brings as `<package>/training`. */
export async function loadRecipe(
  { packageName, reference }: LoadedEnvironment,
  file: string | undefined,
): Promise<Recipe> {
  const path = file === undefined ? ownRecipe(packageName) : resolve(file);
  if (file !== undefined && !existsSync(resolve(file)))
    throw new ConfigError(`There is no config file ${file}.`);
  if (path === undefined)
    throw new ConfigError(
      `${reference} brings no training recipe. Write one: a file that exports defineTraining({ phases: { … } }), and pass it with --config. To see whether a model can learn here at all: envs train ${reference} --smoke`,
    );
  const module = (await import(pathToFileURL(path).href)) as { readonly default?: unknown };
  return readRecipe(module.default, file ?? `${packageName}/training`);
}

/** Checks a recipe. */
export function readRecipe(recipe: unknown, origin: string): Recipe {
  const { exact, ...plan } = (recipe ?? {}) as { readonly exact?: unknown };
  const parsed = trainingPlan.safeParse(plan);
  if (!parsed.success)
    throw new ConfigError(
      `The training recipe ${origin} is not valid:\n${z.prettifyError(parsed.error)}`,
    );
  if (Object.keys(parsed.data.phases).length === 0)
    throw new ConfigError(`The training recipe ${origin} has no phases.`);
  const walk = typeof exact === "function" ? { exact: exact as NonNullable<Recipe["exact"]> } : {};
  return { plan: parsed.data, origin, ...walk };
}

function ownRecipe(packageName: string | undefined): string | undefined {
  if (packageName === undefined) return undefined;
  try {
    return createRequire(join(process.cwd(), "noop.js")).resolve(`${packageName}/training`);
  } catch {
    return undefined;
  }
}

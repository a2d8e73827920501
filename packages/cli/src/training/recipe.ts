import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { ConfigError, type Model } from "@envs/core";
import { type TrainingPlan, trainingPlan } from "@envs/trainer";
import type { ExactFigures } from "@envs/trainer/node";
import * as z from "zod";

import type { LoadedEnvironment } from "../environments/load-environment.ts";

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
  if (file !== undefined && !existsSync(resolve(file)))
    throw new ConfigError(`Training recipe ${file} not found.`);
  if (path === undefined)
    throw new ConfigError(
      `${reference} has no training recipe. Write a file with the default export defineTraining({ phases: { … } }) and pass it with --config. To test whether a model can learn here: envs train ${reference} --smoke`,
    );
  const module = (await import(pathToFileURL(path).href)) as { readonly default?: unknown };
  return parseRecipe(module.default, file ?? `${packageName}/training`);
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

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

import type { Environment } from "@envs/core";
import { splitsOf, type ToolSpec, toolSpecsOf } from "@envs/core/engine";
import { readRun, type StoredRun } from "@envs/core/node";
import * as z from "zod";

import { loadEnvironment } from "../environments/load-environment.ts";

/** Whether a word of the command line is the folder of a saved run, and no environment. */
export function isRun(reference: string): boolean {
  return existsSync(join(reference, "metadata.json"));
}

/** A run to make training data of. */
export interface Source {
  readonly run: StoredRun;
  /** What its model was told of tools. `undefined`: its environment is not here to say. */
  readonly tools: readonly ToolSpec[] | undefined;
}

const planned = z.looseObject({ plan: z.looseObject({ environment: z.string() }) });

/** Reads a saved run, and its environment where that can be found. */
export async function readSource(path: string): Promise<Source> {
  const run = await readRun(resolve(path));
  const { data } = planned.safeParse(run.metadata);
  const reference = data?.plan.environment ?? run.metadata.env_id;
  const loaded = await loadEnvironment(reference).catch(() => undefined);
  return { run, tools: loaded && toolSpecsOf(loaded.factory) };
}

/** The split to learn from: never the one that evaluations take, if there is another. */
export async function splitToLearnFrom(environment: Environment): Promise<string | undefined> {
  const splits = await splitsOf(environment);
  return splits.find((name) => name === "train") ?? splits.find((name) => name !== "eval");
}

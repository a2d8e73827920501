import { splitSizesOf } from "@envs/core/engine";
import { UsageError } from "@envs/terminal";

import { loadEnvironment } from "../environments/load-environment.ts";
import type { TrainingSource } from "./format.ts";

/** What a person may choose; the rest has its default. */
export interface ChosenSource {
  readonly config: Readonly<Record<string, unknown>>;
  readonly url: string;
  readonly split?: string | undefined;
  readonly count?: number | undefined;
  readonly seed: number;
  readonly model: string;
}

/** How many examples an export takes where nobody says. */
export const defaultCount = 1000;

/** Finds an environment and the examples to train on. Throws a `UsageError` if there are not as many. */
export async function trainingSource(
  reference: string,
  { split: wanted, count, ...chosen }: ChosenSource,
): Promise<TrainingSource> {
  const loaded = await loadEnvironment(reference);
  const environment = loaded.factory(chosen.config);
  const sizes = await splitSizesOf(environment);
  const isDivided = sizes.some(({ name }) => name !== null);
  const splits = sizes.map(({ name, size }) => ({ name: name ?? "train", size }));
  const split =
    wanted === undefined
      ? (splits.find(({ name }) => name === "train") ?? splits[0])
      : splits.find(({ name }) => name === wanted);
  if (split === undefined)
    throw new UsageError(
      `${environment.name} has no split ${JSON.stringify(wanted)}. It has: ${splits.map(({ name }) => name).join(", ")}.`,
    );
  const most = split.size ?? Infinity;
  if (count !== undefined && count > most)
    throw new UsageError(
      `--count is ${count}, but the split ${split.name} of ${environment.name} has ${most} examples.`,
    );
  return {
    ...chosen,
    environment,
    loaded,
    isDivided,
    split: split.name,
    count: count ?? Math.min(most, defaultCount),
  };
}

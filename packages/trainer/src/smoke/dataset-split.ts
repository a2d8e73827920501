import type { Environment, EnvironmentFactory, Example } from "@envs/core";
import { examples, splitsOf } from "@envs/core/engine";

/** Examples for training, and others for evaluation. */
export interface DatasetSplit {
  readonly training: readonly Example[];
  readonly evaluation: readonly Example[];
  /** Both lists are the whole dataset, because it is too small to divide. */
  readonly isShared: boolean;
}

export interface SplitOptions {
  readonly trainingExamples: number;
  readonly evaluationExamples: number;
  readonly seed: number;
  readonly signal?: AbortSignal | undefined;
}

/** A smaller dataset is not divided: a third of it would be too few examples for a measurement. */
const minDividedExamples = 64;

/** Draws examples in random order. The evaluation examples are from the `eval` split, or else a third of the dataset. */
export async function splitDataset(
  environment: Environment,
  { trainingExamples, evaluationExamples, seed, signal }: SplitOptions,
): Promise<DatasetSplit> {
  const draw = async (count: number, split?: string): Promise<Example[]> => {
    const drawn: Example[] = [];
    const options = { count, seed, shuffle: true, split, signal };
    for await (const { example } of examples(environment, options)) drawn.push(example);
    signal?.throwIfAborted();
    return drawn;
  };
  const splits = await splitsOf(environment);
  const trainSplit =
    splits.find((name) => name === "train") ?? splits.find((name) => name !== "eval");
  if (splits.includes("eval") && trainSplit !== undefined)
    return {
      training: await draw(trainingExamples, trainSplit),
      evaluation: await draw(evaluationExamples, "eval"),
      isShared: false,
    };
  const all = await draw(trainingExamples, trainSplit);
  if (all.length < minDividedExamples) return { training: all, evaluation: all, isShared: true };
  const count = Math.min(evaluationExamples, Math.floor(all.length / 3));
  return { training: all.slice(count), evaluation: all.slice(0, count), isShared: false };
}

/** Returns a factory of the environment with `dataset` as its dataset. The factory ignores its config. */
export function withDataset(
  environment: Environment,
  dataset: readonly Example[],
): EnvironmentFactory {
  const definition = { ...environment.definition, dataset: () => dataset };
  const replaced = { ...environment, definition };
  return Object.assign(() => replaced, { definition });
}

import { ConfigError, type Environment } from "@envs/core";
import { examples, type KeyedExample, splitsOf } from "@envs/core/engine";

/** The examples of an optimization. No example is in two lists. */
export interface SplitExamples {
  /** The examples that the reflective model reads. */
  readonly reflection: readonly KeyedExample[];
  /** The examples that select candidates. */
  readonly selection: readonly KeyedExample[];
  /** The examples that only the report uses. */
  readonly heldOut: readonly KeyedExample[];
  /** The split of the dataset for each kind of examples; `undefined` for a dataset without splits. */
  readonly split: { readonly train: string | undefined; readonly heldOut: string | undefined };
}

/**
 * Divides the examples. A dataset with the splits `train` and `eval` keeps them apart; of other datasets, the held-out examples are
 * those that follow the others.
 */
export async function splitExamples(
  environment: Environment,
  {
    trainExamples = 20,
    heldOutExamples = 20,
    seed = 0,
    signal,
  }: {
    readonly trainExamples?: number | undefined;
    readonly heldOutExamples?: number | undefined;
    readonly seed?: number | undefined;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<SplitExamples> {
  const splits = await splitsOf(environment);
  const isSplit = splits.includes("train") && splits.includes("eval");
  const split = isSplit
    ? { train: "train", heldOut: "eval" }
    : { train: undefined, heldOut: undefined };
  const read = async (name: string | undefined, count: number): Promise<KeyedExample[]> => {
    const rows = await Array.fromAsync(examples(environment, { split: name, count, seed, signal }));
    signal?.throwIfAborted();
    return rows;
  };
  const needed = 2 * trainExamples;
  const rows = await read(split.train, isSplit ? needed : needed + heldOutExamples);
  const train = rows.slice(0, needed);
  const keys = new Set(train.map(({ key }) => key));
  const rest = isSplit ? await read(split.heldOut, heldOutExamples) : rows.slice(needed);
  const heldOut = rest.filter(({ key }) => !keys.has(key));
  if (train.length < needed || heldOut.length < Math.min(2, heldOutExamples))
    throw new ConfigError(
      `${environment.name} has ${train.length + heldOut.length} examples for an optimization with ${needed} and ${heldOutExamples} held out. Lower the numbers.`,
    );
  return {
    reflection: train.slice(0, trainExamples),
    selection: train.slice(trainExamples),
    heldOut,
    split,
  };
}

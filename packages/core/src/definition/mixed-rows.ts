import { type Dataset, type Example, isRows, knownSize, type Rows } from "../dataset/example.ts";
import { withKeys } from "../dataset/keyed-examples.ts";
import { ConfigError, isConfigError } from "../errors.ts";
import { mediaLimitsOf } from "../message/check-content.ts";
import type { DatasetContext } from "./context.ts";
import type { Environment } from "./environment.ts";
import { mixedExample } from "./part.ts";
import { mixedSize, schedule } from "./schedule.ts";

/** A part of a mix, and how often it is drawn. */
export interface WeightedPart {
  readonly name: string;
  readonly weight: number;
  readonly environment: Environment;
}

/**
 * The dataset of a mix: in each split, the examples of all parts by weight. It has the splits that each part has; a part
 * without splits gives its examples to every split, and a part with `test` instead of `eval` gives those to `eval`.
 */
export async function mixedDataset(
  mix: string,
  parts: readonly WeightedPart[],
  { random }: Pick<DatasetContext<unknown>, "random">,
): Promise<Dataset<Example>> {
  const datasets = await Promise.all(
    parts.map(async ({ name, environment: { definition, config } }) =>
      definition.dataset({ config, random: random.for(name) }),
    ),
  );
  const mixed = (split?: string): Rows<Example> =>
    mixedRows(
      mix,
      parts,
      datasets.map((dataset) => rowsIn(dataset, split)!),
    );
  const names = new Set(datasets.flatMap((dataset) => splitsIn(dataset)));
  if (names.size === 0) return mixed();
  const common = [...names].filter((split) =>
    datasets.every((dataset) => rowsIn(dataset, split) !== undefined),
  );
  if (common.length === 0) throw noCommonSplit(mix, parts, datasets);
  return Object.fromEntries(common.map((split) => [split, mixed(split)]));
}

/** The names under which the splits of a part are found. */
function splitsIn(dataset: Dataset<Example>): readonly string[] {
  if (isRows(dataset)) return [];
  const names = Object.keys(dataset);
  return names.includes("test") ? [...names, "eval"] : names;
}

/** The rows that a part has for a split of the mix. */
function rowsIn(dataset: Dataset<Example>, split: string | undefined): Rows<Example> | undefined {
  if (isRows(dataset)) return dataset;
  const name = split === "eval" && !Object.hasOwn(dataset, "eval") ? "test" : split;
  return name !== undefined && Object.hasOwn(dataset, name) ? dataset[name] : undefined;
}

/** Draws rows of all parts by weight, up to the end of the first part that ends: until then, the shares are exact. */
function mixedRows(
  mix: string,
  parts: readonly WeightedPart[],
  rows: readonly Rows<Example>[],
): Rows<Example> {
  const weights = parts.map(({ weight }) => weight);
  return {
    get size() {
      const sizes = rows.flatMap((part) => knownSize(part) ?? []);
      return sizes.length < rows.length ? undefined : mixedSize(weights, sizes);
    },
    async *[Symbol.asyncIterator]() {
      const iterators = parts.map(({ environment }, index) =>
        withKeys(rows[index]!, mediaLimitsOf(environment.definition)),
      );
      try {
        for (const index of schedule(weights)) {
          const next = await iterators[index]!.next().catch((error: unknown) => {
            throw isConfigError(error) ? ofPart(mix, parts[index]!.name, error) : error;
          });
          if (next.done === true) return;
          const { example, key } = next.value;
          yield mixedExample(parts[index]!.name, example, key);
        }
      } finally {
        await Promise.all(iterators.map((iterator) => iterator.return(undefined)));
      }
    },
  } as AsyncIterable<Example>;
}

/** Names the part in an error of one of its examples. */
function ofPart(mix: string, part: string, error: ConfigError): ConfigError {
  return new ConfigError(`${part} in ${mix}: ${error.message}`, [], { cause: error });
}

function noCommonSplit(
  mix: string,
  parts: readonly WeightedPart[],
  datasets: readonly Dataset<Example>[],
): ConfigError {
  const splits = datasets.flatMap((dataset, index) =>
    isRows(dataset) ? [] : [`${parts[index]!.name} has ${Object.keys(dataset).join(", ")}`],
  );
  return new ConfigError(
    `The parts of ${mix} have no split in common: ${splits.join("; ")}. Rename the splits of one part, or leave it out.`,
  );
}

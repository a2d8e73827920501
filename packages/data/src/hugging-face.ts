import { readFile } from "node:fs/promises";

import { ConfigError } from "@envs/core";
import type * as z from "zod";

import type { DataFile } from "./files/data-file.ts";
import { formatOf } from "./formats/format-of.ts";
import { cardConfigs } from "./hub/card.ts";
import { convertedConfigs, convertedRevision } from "./hub/converted.ts";
import { copyOf } from "./hub/copy.ts";
import { dataPaths, splitPaths } from "./hub/data-files.ts";
import { type DatasetReference, referenceOf } from "./hub/reference.ts";
import { openRepository, type Repository } from "./hub/repository.ts";
import type { RowOptions } from "./options.ts";
import { rowsOf } from "./rows.ts";

/** Options of {@link huggingFace}. */
export interface HuggingFaceOptions<
  Schema extends z.ZodType,
  Split extends string | Readonly<Record<string, string>>,
> extends RowOptions<Schema> {
  /** The split to read, or the dataset's split for each split of the environment: `{ train: "train", eval: "test" }`. */
  readonly split: Split;
  /** The dataset's config. Default: its default, or the only one. */
  readonly config?: string | undefined;
  /** A branch, a tag or a commit. Only a commit never changes. Default `main`. */
  readonly revision?: string | undefined;
  /** A copy of the repository on this machine, which is read instead. Default: `<owner>/<name>` in `ENVS_DATASETS`, if it exists. */
  readonly folder?: string | URL | undefined;
}

/** Rows for a split, or for each of several splits. */
type Splits<Split, Row> = Split extends string
  ? AsyncIterable<Row>
  : { readonly [Name in keyof Split]: AsyncIterable<Row> };

/**
 * Reads a dataset of the Hugging Face Hub lazily: nothing is requested before the first row, and no file before a row of it is
 * needed. Files are kept in the cache of Python's huggingface_hub; `HF_TOKEN`, `HF_ENDPOINT`, `HF_HOME` and `HF_HUB_OFFLINE` have
 * the same meaning as there. Throws a `ConfigError` that lists what exists, or explains how to read a copy.
 */
export function huggingFace<
  Schema extends z.ZodType,
  const Split extends string | Readonly<Record<string, string>>,
>(name: string, options: HuggingFaceOptions<Schema, Split>): Splits<Split, z.output<Schema>> {
  const { split, revision } = options;
  const dataset = referenceOf(name, revision);
  const rows = (wanted: string) =>
    rowsOf(() => filesOf(dataset, wanted, options), formatOf, options);
  const splits: unknown =
    typeof split === "string"
      ? rows(split)
      : Object.fromEntries(Object.entries(split).map(([ours, theirs]) => [ours, rows(theirs)]));
  return splits as Splits<Split, z.output<Schema>>;
}

type FileOptions = Pick<HuggingFaceOptions<z.ZodType, string>, "config" | "folder" | "revision">;

async function filesOf(
  dataset: DatasetReference,
  split: string,
  options: FileOptions,
): Promise<readonly DataFile[]> {
  const copy = await copyOf(dataset, options.folder);
  const repository = copy ?? (await openRepository(dataset));
  const { config } = options;
  const { name } = dataset;
  if (dataPaths(repository.paths).length > 0) {
    const configs = await configsOf(repository);
    return splitPaths(repository.paths, configs, { name, config, split }).map(repository.fileOf);
  }
  const supported = "It has neither Parquet, JSONL, JSON nor CSV files";
  if (copy !== undefined) throw new ConfigError(`${name} cannot be read. ${supported}.`);
  if (options.revision !== undefined)
    throw new ConfigError(
      `The dataset ${name} cannot be read at the revision ${JSON.stringify(options.revision)}. ${supported}, and the hub's Parquet copy is that of its newest revision: pass the revision ${JSON.stringify(convertedRevision)}.`,
    );
  const converted = await openRepository({ ...dataset, revision: convertedRevision }).catch(
    (error: unknown) => {
      throw new ConfigError(
        `The dataset ${name} cannot be read. ${supported}, and the hub's Parquet copy of it cannot be opened:\n${String(error)}`,
        [],
        { cause: error },
      );
    },
  );
  return splitPaths(converted.paths, convertedConfigs(converted.paths), {
    name,
    config,
    split,
  }).map(converted.fileOf);
}

async function configsOf(repository: Repository) {
  if (!repository.paths.includes("README.md")) return [];
  const readme = repository.fileOf("README.md");
  return cardConfigs(await readFile(await readme.path(), "utf8"), readme.name);
}

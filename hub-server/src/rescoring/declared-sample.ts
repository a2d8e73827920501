import { setImmediate } from "node:timers/promises";

import { ConfigError, type Example } from "@envs/core";
import type { KeyedExample } from "@envs/core/engine";
import type { Run, RunDeclaration } from "@envs/hub-client";
import { parseSelection } from "@envs/viewer";
import * as z from "zod";

import { publishedSize } from "../evaluations/declarations/manifest-defaults.ts";
import {
  chosenPositions,
  needsDataset,
  selectedPositions,
} from "../evaluations/declarations/sample.ts";
import type { Hub } from "../platform/hub/hub.ts";
import { type BundleCode, ReplayProblem } from "./bundle-code.ts";
import { type BundleProcess, datasetOf } from "./bundle-process.ts";

/**
 * Finds what is wrong with the position of an example in a declared run. The bundle decides it where the upload could not: for a
 * selection by keys or a filter, and for a size of the dataset that the manifest does not state. Throws a {@link ReplayProblem}
 * if the bundle does not answer.
 */
export async function declaredSample(
  hub: Pick<Hub, "database">,
  { recipe, summary }: Run,
  { call, manifest }: Pick<BundleProcess, "call"> & Pick<BundleCode, "manifest">,
): Promise<(index: number) => string | undefined> {
  const { declaration, details, config, split, seed } = recipe;
  const { select } = details;
  const none = (): undefined => undefined;
  if (declaration === null || seed === null) return none;
  const dataset = datasetOf(recipe);
  if (needsDataset(select)) {
    const sample = { examples: summary.examples, seed };
    const chosen = await selectedSample(call, { dataset, select }, sample);
    const problem = "The declared selection and the seed do not choose this example.";
    return (index) => (chosen.has(index) ? undefined : problem);
  }
  if (select !== undefined || publishedSize(manifest, { config, split }) !== null) return none;
  const { size } = (await readDeclaration(hub, declaration)).recipe;
  if (size === null) return none;
  // A size that takes too long to count stays the user's claim.
  const hasMore = await hasExample(call, { ...dataset, seed: 0 }, size).catch((error: unknown) => {
    if (error instanceof ReplayProblem) return false;
    throw error;
  });
  if (!hasMore) return none;
  return () => `The declaration states ${size} examples, but the published dataset has more.`;
}

async function readDeclaration({ database }: Pick<Hub, "database">, id: string) {
  return await database
    .selectFrom("declarations")
    .where("id", "=", id)
    .select("recipe")
    .executeTakeFirstOrThrow();
}

async function hasExample(
  call: BundleProcess["call"],
  dataset: object,
  offset: number,
): Promise<boolean> {
  const { examples } = await call("examples", { ...dataset, offset, count: 1 });
  return Array.isArray(examples) && examples.length > 0;
}

/** The number of examples that a shuffle reads ahead, as `envs eval --shuffle` does. */
const buffer = 10_000;

/** Finds the number of examples to choose from by asking the bundle. Null above the number that a shuffle reads. */
export async function datasetSize(
  call: BundleProcess["call"],
  dataset: Selected["dataset"],
  { examples, details: { select } }: RunDeclaration,
): Promise<number | null> {
  const limit = buffer + Math.min(examples ?? buffer, 10 * buffer);
  if (select !== undefined) {
    const size = await selectionSize(call, { dataset, select }, limit + 1);
    return size > limit ? null : size;
  }
  let [low, high] = [0, limit];
  if (await hasExample(call, dataset, high)) return null;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (await hasExample(call, dataset, middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The dataset of a run, and the part of it that the run selects. */
interface Selected {
  readonly dataset: ReturnType<typeof datasetOf>;
  readonly select: unknown;
}

/**
 * The positions that a seed chooses from a selection, as `envs eval --select` plays them. Asks the bundle which examples have a
 * key or match a filter. Throws a {@link ReplayProblem} if it does not answer, or has no such example.
 */
export async function selectedSample(
  call: BundleProcess["call"],
  { dataset, select }: Selected,
  { examples, seed }: { readonly examples: number | null; readonly seed: number },
): Promise<ReadonlySet<number>> {
  const declared = { examples, size: null };
  const positions = selectedPositions(select) ?? positionsOf(call, { dataset, select });
  return await asReplay(() => chosenPositions(declared, seed, positions));
}

/** Counts the examples of a selection, up to a limit. */
async function selectionSize(
  call: BundleProcess["call"],
  selected: Selected,
  limit: number,
): Promise<number> {
  const listed = selectedPositions(selected.select);
  if (listed !== undefined) return listed.length;
  return await asReplay(async () => {
    let size = 0;
    for await (const _ of positionsOf(call, selected)) if ((size += 1) >= limit) break;
    return size;
  });
}

/** Filters run in this process, and a user writes them. */
const maxFilter = 2000;

async function* positionsOf(
  call: BundleProcess["call"],
  { dataset, select }: Selected,
): AsyncGenerator<number> {
  const text = String(select);
  const selection = parseSelection(text);
  // A list names positions and keys; only a filter reads the rows.
  const hasContent = selection.size === undefined;
  if (hasContent && text.length > maxFilter)
    throw new ReplayProblem(`The filter has ${text.length} characters. A hub reads ${maxFilter}.`);
  for await (const { index } of selection.select(examplesOf(call, { ...dataset, hasContent })))
    yield index;
}

/** The bundle is not trusted, so its response may have any form. */
const page = z.object({
  examples: z.array(
    z.object({
      index: z.number(),
      key: z.string(),
      example: z.record(z.string(), z.unknown()).default({}),
    }),
  ),
  hasMore: z.boolean(),
});
const pageSize = 100;

async function* examplesOf(
  call: BundleProcess["call"],
  query: object,
): AsyncGenerator<KeyedExample> {
  for (let offset = 0; ; offset += pageSize) {
    const response = await call("examples", { ...query, offset, count: pageSize });
    const { success, data } = page.safeParse(response);
    if (!success) throw new ReplayProblem("The bundle's list of examples is not valid.");
    for (const { example, ...keyed } of data.examples) {
      yield { ...keyed, example: example as unknown as Example };
      await setImmediate();
    }
    if (!data.hasMore) return;
  }
}

/** An error of the selection, or of rows that are nested deeply, concerns the run. */
async function asReplay<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const isOfRun =
      error instanceof ConfigError ||
      error instanceof RangeError ||
      (error instanceof Error && error.name === "UsageError");
    throw isOfRun ? new ReplayProblem(error.message) : error;
  }
}

import * as z from "zod";

import { quote, ServeError } from "../errors.ts";
import type { EpisodeHost } from "../host/episode-host.ts";
import { assumedSplitSize, defaultSplit } from "../host/tasks.ts";
import type { ResetQuery } from "./session.ts";

/** Fields that select an example, for all protocols. */
export const exampleFields = {
  split: z.string().nullish().describe("Name of the split. Default: train, or the first"),
  index: z
    .int()
    .min(0)
    .nullish()
    .describe("Index in the split. Default: from the seed, or the next example"),
  id: z.string().nullish().describe("The example's key, to check that the index is still right"),
  seed: z
    .int()
    .min(0)
    .nullish()
    .describe("Seed of the episode. Without an index, it also selects the example"),
  seat: z
    .string()
    .max(100)
    .nullish()
    .describe("The seat of the client's model. Default: the first. Policies play the others"),
};

/** Body of a reset. */
export const resetBody = z.strictObject({
  ...exampleFields,
  episode_id: z.string().max(255).nullish().describe("An id that the state returns"),
});

/** The query of a reset by its fields. Throws a {@link ServeError} if the example has another id. */
export async function resetQuery(
  host: EpisodeHost,
  fields: z.output<z.ZodObject<typeof exampleFields>>,
): Promise<ResetQuery> {
  const split = fields.split ?? undefined;
  const seed = fields.seed ?? undefined;
  const index = fields.index ?? (seed === undefined ? undefined : seed % sizeOf(host, split));
  const query = { split, index, seed, seat: fields.seat ?? undefined };
  if (fields.id === undefined || fields.id === null) return query;
  if (fields.index === undefined || fields.index === null)
    throw new ServeError(
      "unknown-task",
      "An id alone does not select an example. Send its split and index too.",
    );
  const { id } = await host.task(query);
  if (id === fields.id) return query;
  throw new ServeError(
    "unknown-task",
    `The example at this index is ${id}, not ${quote(fields.id)}. Fetch the server's tasks again.`,
  );
}

function sizeOf({ card: { splits } }: EpisodeHost, name: string | undefined): number {
  const split = splits.find((candidate) => candidate.name === name) ?? defaultSplit(splits);
  return Math.max(split?.size ?? assumedSplitSize, 1);
}

import * as z from "zod";

import { ServeError } from "../failure.ts";
import type { EpisodeHost } from "../host/host.ts";
import { quoted } from "../quoted.ts";
import type { ResetQuery } from "../session.ts";
import { uncounted } from "../tasks/task-list.ts";

/** Which example is meant: fields that a reset has, and that a step without a session takes too. */
export const choice = {
  split: z.string().nullish().describe("Name of a split. Default: train, or the first"),
  index: z.int().min(0).nullish().describe("Place in the split. Default: by the seed, or the next"),
  id: z.string().nullish().describe("What the task at this place is called, to make sure"),
  seed: z
    .int()
    .min(0)
    .nullish()
    .describe("Seed of the episode; without an index it chooses the example too"),
};

/** What a reset may say. */
export const resetData = z.strictObject({
  ...choice,
  episode_id: z.string().max(255).nullish().describe("Told back by the state"),
});

/** The example that is asked for. Throws a {@link ServeError} if it is not the one of this id. */
export async function queryOf(
  host: EpisodeHost,
  asked: z.output<z.ZodObject<typeof choice>>,
): Promise<ResetQuery> {
  const split = asked.split ?? undefined;
  const seed = asked.seed ?? undefined;
  const index = asked.index ?? (seed === undefined ? undefined : seed % sizeOf(host, split));
  const query = { split, index, seed };
  if (asked.id === undefined || asked.id === null) return query;
  if (asked.index === undefined || asked.index === null)
    throw new ServeError("unknown-task", "An example is found by its split and index: send both.");
  const { id } = await host.task(query);
  if (id === asked.id) return query;
  throw new ServeError(
    "unknown-task",
    `The example at this place is ${id}, not ${quoted(asked.id)}. Ask this server for its tasks again.`,
  );
}

function sizeOf({ card: { splits } }: EpisodeHost, name = "train"): number {
  const split = splits.find((each) => each.name === name) ?? splits[0];
  return Math.max(split?.size ?? uncounted, 1);
}

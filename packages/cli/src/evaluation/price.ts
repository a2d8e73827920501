import type { KnownPrice } from "@envs/models/prices";
import * as z from "zod";

import { configSource } from "../models/loaded-model.ts";

/** The prices of a run, and whether they are the caller's own or an estimate. */
export function priceText({ input, output, source }: KnownPrice): string {
  const origin = source === configSource ? `of ${source}` : `an estimate by ${source}`;
  return `${input} in, ${output} out per million tokens, ${origin}`;
}

const saved = z.looseObject({
  cost: z.number(),
  // Older runs have prices of the config file only, without a source.
  price: z.looseObject({
    input: z.number(),
    output: z.number(),
    source: z.string().default(configSource),
  }),
});

/** The cost of a saved run, with its prices; empty if it is unknown. */
export function savedCostText(metadata: unknown): string {
  const { data } = saved.safeParse(metadata);
  return data === undefined ? "" : `${data.cost.toFixed(4)} (${priceText(data.price)})`;
}

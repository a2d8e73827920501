import type { SubModelUsages } from "@envs/core";
import { costOf } from "@envs/models/prices";

import type { LoadedModel } from "./loaded-model.ts";
import { subModelCost } from "./sub-model.ts";

interface OtherCosts {
  readonly subModelCost: number | undefined;
  /** By name; `undefined` without calls of helpers whose price is known. */
  readonly helperCosts: Readonly<Record<string, number>> | undefined;
}

/** What sub-models, at `price`, and an agent's helpers, at their own prices, have cost. */
export function otherCosts(
  usages: SubModelUsages = {},
  { price, helpers = {} }: Pick<LoadedModel, "price" | "helpers">,
): OtherCosts {
  const [own, others] = [true, false].map((isHelper) =>
    Object.entries(usages).filter(([name]) => Object.hasOwn(helpers, name) === isHelper),
  );
  const costs = own!.flatMap(([name, usage]) => {
    const known = helpers[name]?.price;
    return known === undefined ? [] : [[name, costOf(usage, known)] as const];
  });
  return {
    subModelCost:
      others!.length === 0 ? undefined : subModelCost(Object.fromEntries(others!), price),
    helperCosts: costs.length === 0 ? undefined : Object.fromEntries(costs),
  };
}

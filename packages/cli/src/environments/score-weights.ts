import type { Environment } from "@envs/core";
import { describeScores } from "@envs/core/engine";

/** The weight of each score that the environment's config enables. */
export function weightsOf({
  definition,
  config,
}: Pick<Environment, "definition" | "config">): Record<string, number> {
  return Object.fromEntries(
    describeScores(definition, config).map(({ name, weight }) => [name, weight]),
  );
}

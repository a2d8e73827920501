import { describeRubric, type Environment } from "@envs/core";

/** The weight of each score of an environment. */
export function weightsOf({ definition }: Pick<Environment, "definition">): Record<string, number> {
  return Object.fromEntries(
    describeRubric(definition.rubric).map(({ name, weight }) => [name, weight]),
  );
}

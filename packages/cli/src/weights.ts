import type { Environment } from "@envs/core";

/** The weight of each score of an environment. */
export function weightsOf({ definition }: Pick<Environment, "definition">): Record<string, number> {
  return Object.fromEntries(
    Object.entries<unknown>(definition.rubric).map(([name, entry]) => {
      const weight =
        typeof entry === "object" && entry !== null && "weight" in entry ? entry.weight : undefined;
      return [name, typeof weight === "number" ? weight : 1];
    }),
  );
}

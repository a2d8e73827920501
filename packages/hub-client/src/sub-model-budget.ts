import type { EnvironmentManifest } from "./manifest.ts";

/** How much an environment may ask its sub-model in a rollout, such as `at most 50 calls and 200,000 tokens`. */
export function subModelBudgetText({
  maxCalls,
  maxTokens,
}: {
  readonly [Limit in keyof NonNullable<EnvironmentManifest["subModel"]>]: number | undefined;
}): string {
  const limits = [countText(maxCalls, "call"), countText(maxTokens, "token")].filter(
    (limit) => limit !== undefined,
  );
  return limits.length === 0 ? "without a limit" : `at most ${limits.join(" and ")}`;
}

function countText(limit: number | undefined, unit: string): string | undefined {
  if (limit === undefined) return undefined;
  return `${limit.toLocaleString("en")} ${unit}${limit === 1 ? "" : "s"}`;
}

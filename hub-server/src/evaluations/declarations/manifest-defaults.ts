import type { EnvironmentManifest } from "@envs/hub-client";

/** The config without options. Runs record a config with all defaults; a suite may omit options. */
export function defaultsOf({
  config: { properties },
}: Pick<EnvironmentManifest, "config">): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries((properties ?? {}) as Readonly<Record<string, unknown>>).flatMap(
      ([name, schema]) =>
        typeof schema === "object" && schema !== null && "default" in schema
          ? [[name, schema.default]]
          : [],
    ),
  );
}

/** The split that a run reads: the named one, else `eval`, else the first. Null for a dataset without splits. */
export function splitOf(
  { splits }: Pick<EnvironmentManifest, "splits">,
  split: string | null,
): string | null {
  if (split !== null) return split;
  return splits.some(({ name }) => name === "eval") ? "eval" : (splits[0]?.name ?? null);
}

import { contentHash } from "@envs/core/engine";
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

/** Whether a config has the default of each option, for which the manifest states the number of examples. */
export function hasDefaults(manifest: EnvironmentManifest, config: unknown): boolean {
  return contentHash(config) === contentHash(defaultsOf(manifest));
}

/** The number of examples that the manifest states for a config and a split. Null without an end, or if it does not state it. */
export function publishedSize(
  manifest: EnvironmentManifest,
  { config, split }: { readonly config: unknown; readonly split: string | null },
): number | null {
  if (!hasDefaults(manifest, config)) return null;
  const name = splitOf(manifest, split);
  return manifest.splits.find((each) => each.name === name)?.size ?? null;
}

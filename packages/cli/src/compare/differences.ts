import { canonicalJson } from "@envs/core/engine";
import type { Metadata } from "@envs/records";
import * as z from "zod";

const version = z.looseObject({
  version: z.string().nullish(),
  content_hash: z.string().nullish(),
});

/** The settings in which two runs differ, as text: a reader decides which of them the comparison is about. */
export function differencesOf(before: Metadata, after: Metadata): readonly string[] {
  const settings: readonly (readonly [string, (metadata: Metadata) => unknown])[] = [
    ["model", ({ model }) => model],
    ["config", ({ env_args: config }) => config],
    ["sampling", ({ sampling_args: sampling }) => sampling],
    ["seed", ({ seed }) => seed],
    ["split", ({ split }) => split],
    ["judge", (metadata) => metadata["judge"]],
    ["environment", environmentOf],
  ];
  return settings.flatMap(([name, read]) => {
    const [old, now] = [read(before), read(after)].map((value) => shown(value));
    return old === now ? [] : [`${name}: ${old} → ${now}`];
  });
}

function environmentOf(metadata: Metadata): unknown {
  const { data } = version.safeParse(metadata["environment"]);
  if (data === undefined) return undefined;
  const files = data.content_hash?.slice(0, 8) ?? "unknown files";
  return `${data.version ?? "without a version"} (${files})`;
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return "none";
  return typeof value === "string" ? value : canonicalJson(value);
}

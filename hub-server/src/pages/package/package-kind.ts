import { suiteFile, type VersionDetail } from "@envs/hub-client";

/** The kind of a package, which decides the sections of its page. */
export type PackageKind = "environment" | "model" | "suite" | "library";

type Described = Pick<VersionDetail, "environment" | "keywords" | "files">;

/** The kind of a package by its manifest, else by its files and keywords. */
export function kindOf({ environment, keywords, files }: Described): PackageKind {
  if (environment !== null) return "environment";
  if (files.some(({ path }) => path === suiteFile)) return "suite";
  const isModel =
    keywords.includes("llm-environment-model") ||
    files.some(({ path }) => path.endsWith(".safetensors"));
  return isModel ? "model" : "library";
}

const interactions: Readonly<Record<string, string>> = {
  "single-turn": "environment with one turn",
  "multi-turn": "environment with several turns",
  tools: "environment with tools",
};

/** The kind for reading, with the interaction of an environment. */
export function kindText(version: Described): string {
  const { environment } = version;
  return environment === null ? kindOf(version) : (interactions[environment.kind] ?? "environment");
}

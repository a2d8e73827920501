import { readdir, readFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";

import { writeFileAtomically } from "@envs/cli/kit";
import { changedFiles, type EnvironmentFiles } from "@envs/cli/kit/environments";
import { newRunName } from "@envs/cli/kit/runs";
import { ConfigError } from "@envs/core";
import { redactUrl } from "@envs/core/engine";
import * as z from "zod";

import { parseJson } from "../node/journal-file.ts";
import { type OptimizePlan, storedPlan } from "./optimize-plan.ts";

const record = z.looseObject({
  schema_version: z.literal(1),
  plan: storedPlan,
  files: z.record(z.string(), z.string()),
  is_complete: z.boolean(),
});

/** A search in a folder: `plan.json`, `journal.jsonl`, and once it has ended `prompts.json`, `report.md` and `result.json`. */
export interface SavedSearch {
  readonly path: string;
  readonly plan: OptimizePlan;
  /** The files of the environment when the search started. */
  readonly files: EnvironmentFiles;
  readonly isComplete: boolean;
}

/** The path of a new search. */
export function newSearchFolder(
  outputs: string,
  { model }: OptimizePlan,
  environment: string,
): string {
  const name = `${environment}--${model}`.replaceAll(/[^\w.@-]+/gu, "-");
  return resolve(outputs, "optimizations", name, newRunName());
}

/** Writes what `--resume` reads. URLs lose their secrets. */
export async function saveSearch({ path, plan, files, isComplete }: SavedSearch): Promise<void> {
  const url = (value: string | undefined): string | undefined => value && redactUrl(value);
  const redacted = {
    ...plan,
    baseURL: url(plan.baseURL),
    reflectionBaseURL: url(plan.reflectionBaseURL),
    judgeBaseURL: url(plan.judgeBaseURL),
    subModelBaseURL: url(plan.subModelBaseURL),
  };
  const content = { schema_version: 1, plan: redacted, files, is_complete: isComplete };
  await writeFileAtomically(join(path, "plan.json"), {
    text: `${JSON.stringify(content, null, 2)}\n`,
  });
}

/** Finds the search to resume: a folder, or `latest` for the newest incomplete one. */
export async function findSearch(reference: string, outputs: string): Promise<SavedSearch> {
  if (reference !== "latest") return await readSearch(resolve(reference));
  const root = resolve(outputs, "optimizations");
  const names = await readdir(root, { recursive: true }).catch(() => []);
  const paths = names
    .filter((name) => name.endsWith("plan.json"))
    .map((name) => resolve(root, name, ".."))
    // The names of runs begin with their time.
    .toSorted((a, b) => (basename(a) < basename(b) ? 1 : -1));
  for (const path of paths) {
    const search = await readSearch(path);
    if (!search.isComplete) return search;
  }
  throw new ConfigError(
    `No incomplete search found in ${root}. To continue a complete one with a larger budget, pass its folder: envs optimize --resume <folder> --max-rollouts 600`,
  );
}

/** Throws a `ConfigError` if the environment has changed since the search started. */
export function checkSameEnvironment(
  { path, plan, files }: SavedSearch,
  now: EnvironmentFiles,
): void {
  const changed = changedFiles(files, now);
  if (changed.length === 0) return;
  throw new ConfigError(
    `Cannot resume ${path}: ${plan.environment} has changed since the search started (${changed.slice(0, 5).join(", ")}), so rewards before and after are not comparable. Restore these files, or start a new search without --resume.`,
  );
}

async function readSearch(path: string): Promise<SavedSearch> {
  let text: string;
  try {
    text = await readFile(join(path, "plan.json"), "utf8");
  } catch {
    throw new ConfigError(
      `${path} is not a search: it has no plan.json. Pass a folder that envs optimize has written.`,
    );
  }
  const parsed = record.safeParse(parseJson(text));
  if (!parsed.success)
    throw new ConfigError(
      `Cannot read ${join(path, "plan.json")}:\n${z.prettifyError(parsed.error)}\nStart a new search without --resume.`,
    );
  const { plan, files, is_complete: isComplete } = parsed.data;
  return { path, plan: plan as unknown as OptimizePlan, files, isComplete };
}

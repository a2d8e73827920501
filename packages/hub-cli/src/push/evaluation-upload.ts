import { coreVersion, FailureError, version as cliVersion } from "@envs/cli/kit";
import { nearPath, pathArgument } from "@envs/cli/kit/layout";
import { type EvaluationPlan, recordedPrompts } from "@envs/cli/kit/runs";
import { declaredDetails, runPrice, type RunUpload } from "@envs/hub-client";
import { readRun } from "@envs/records/node";
import * as z from "zod";

import { withMedia } from "./media-parts.ts";
import { type LocalRun, partsOf, rowsOf, totalsOf } from "./run-parts.ts";

/** The fields of `metadata.json` that bind a run to a package. Runs of loose files and of verifiers lack them. */
const recorded = z.looseObject({
  environment: z.looseObject({
    package: z.string(),
    version: z.string(),
    content_hash: z.string(),
  }),
  price: runPrice.nullish(),
  version_info: z
    .looseObject({ envs_version: z.string().optional(), core_version: z.string().optional() })
    .optional(),
  plan: z.looseObject({ declaration: z.string().optional() }).optional(),
});

/** The options of a plan that describe a run. Addresses of servers and names of variables stay here. */
const planFields = [
  "examples",
  "rolloutsPerExample",
  "shuffle",
  "retry",
  "turnTimeout",
  "rolloutTimeout",
  "hookTimeout",
  "tokens",
  ...declaredDetails,
] satisfies readonly (keyof EvaluationPlan)[];

/** Reads an evaluation to push. Throws a `FailureError` if it is incomplete or not of a package. */
export async function readEvaluation(path: string): Promise<LocalRun> {
  const { metadata, rollouts, problems } = await readRun(path, { withMedia: false });
  if (metadata["is_complete"] === false || problems.length > 0)
    throw new FailureError(
      `${nearPath(path)} is incomplete${problems.length > 0 ? `: line ${problems[0]!.line} of its rollouts is not readable` : ""}. Resume it first: envs eval --resume ${pathArgument(path)}`,
    );
  if (recordedPrompts(metadata) !== undefined)
    throw new FailureError(
      `${nearPath(path)} was played with --prompts, so a hub cannot check it against the published environment. Put the prompts into the environment, and evaluate it again.`,
    );
  const parsed = recorded.safeParse(metadata);
  if (!parsed.success)
    throw new FailureError(
      `${nearPath(path)} does not name the version of the package that was run, so a hub cannot check it. Publish the environment and evaluate the package by its name.`,
    );
  const { environment, price, version_info: versions = {}, plan = {} } = parsed.data;
  const rows = partsOf([{ kind: "rollouts", values: rowsOf(rollouts) }]);
  const { parts, contentOf } = await withMedia(rows, path);
  const details = Object.fromEntries(
    planFields.flatMap((name) => (plan[name] === undefined ? [] : [[name, plan[name]]])),
  );
  const upload: LocalRun["upload"] = {
    kind: "evaluation",
    config: metadata.env_args,
    model: metadata.model,
    sampling: definedOf(metadata.sampling_args),
    seed: metadata.seed ?? null,
    split: metadata.split ?? null,
    declaration: plan["declaration"] ?? null,
    driver: `envs eval ${versions.envs_version ?? cliVersion}`,
    coreVersion: versions.core_version ?? coreVersion,
    price: price ?? null,
    details: { ...details, seconds: metadata.time ?? null },
    modelPackage: null,
    startedAt: timestampOf(metadata.date),
    ...totalsOf(rollouts),
    parts: [...parts],
  };
  return {
    package: {
      name: environment.package,
      version: environment.version,
      contentHash: environment.content_hash,
    },
    rollouts: rollouts.length,
    upload,
    contentOf,
  };
}

function definedOf(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** The date of a run, as the hub requires it. */
export function timestampOf(date: string | null | undefined): RunUpload["startedAt"] {
  const time = date === null || date === undefined ? Number.NaN : Date.parse(date);
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}

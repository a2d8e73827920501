import type { TrainingPlan } from "@envs/trainer";
import type { TrainingRecord } from "@envs/trainer/node";

import type { LoadedEnvironment } from "../environments/load-environment.ts";
import { version } from "../version.ts";

/** The options of `envs train` that change the result of a run. */
const recordedOptions = ["config", "phases", "from", "seed", "threads"] as const;

/** Creates the record of a new training run. */
export function createTrainingRecord(
  { reference, factory, contentHash, packageName, version: packageVersion }: LoadedEnvironment,
  plan: TrainingPlan,
  args: { readonly [Name in (typeof recordedOptions)[number]]?: string | undefined },
): TrainingRecord {
  const options = recordedOptions.flatMap((name) =>
    args[name] === undefined ? [] : [`--${name} ${args[name]}`],
  );
  return {
    schema_version: 1,
    environment: {
      reference,
      name: factory.definition.name,
      version: packageVersion ?? null,
      content_hash: contentHash,
    },
    plan,
    command: ["envs train", reference, ...options].join(" "),
    versions: {
      "@envs/cli": version,
      ...(packageName === undefined ? {} : { [packageName]: packageVersion ?? "" }),
      node: process.version,
      machine: `${process.platform} ${process.arch}`,
    },
    date: new Date().toISOString(),
    is_complete: false,
  };
}

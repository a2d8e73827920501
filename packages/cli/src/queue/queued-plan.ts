import { fileURLToPath } from "node:url";

import { ConfigError } from "@envs/core";
import { canonicalJson } from "@envs/core/records";
import * as z from "zod";

import type { ConfigFile, Endpoint } from "../config-file.ts";
import type { EnvironmentFiles } from "../environments/environment-files.ts";
import type { LoadedEnvironment } from "../environments/load-environment.ts";
import type { EvaluationPlan } from "../evaluation/evaluation-plan.ts";
import type { HubVersion } from "./exact-environment.ts";

/** What a worker needs to play an evaluation. */
export interface QueuedPlan {
  readonly format: 1;
  readonly environment: {
    /** A package's name, or an absolute path. */
    readonly reference: string;
    /** The tarball that workers install; `undefined` if they have the environment. */
    readonly hub?: HubVersion | undefined;
    /** The hashes of its files on the coordinator's machine. */
    readonly files: EnvironmentFiles;
  };
  /** How rollouts are played. Workers ignore which ones there are. */
  readonly play: Omit<
    EvaluationPlan,
    "environment" | "config" | "examples" | "concurrency" | "select"
  >;
  /** The environment's config as JSON: its keys keep their order. */
  readonly config: string;
  /** The endpoints of the coordinator's config file that the plan names, without headers, which may be secret. */
  readonly endpoints: Readonly<Record<string, Endpoint>>;
}

const schema = z.looseObject({
  format: z.literal(1),
  environment: z.looseObject({ reference: z.string(), files: z.record(z.string(), z.string()) }),
  play: z.looseObject({ model: z.string() }),
  config: z.string(),
  endpoints: z.record(z.string(), z.looseObject({ model: z.string() })),
});

/** Writes the plan of a run as JSON. */
export function formatPlan(
  plan: EvaluationPlan,
  {
    loaded,
    files,
    hub,
    endpoints,
  }: {
    readonly loaded: LoadedEnvironment;
    readonly files: EnvironmentFiles;
    readonly hub: HubVersion | undefined;
    readonly endpoints: NonNullable<ConfigFile["endpoints"]>;
  },
): string {
  const { environment, config, examples: _, concurrency: __, select: ___, ...play } = plan;
  const names = new Set([plan.model, plan.subModel, ...(plan.judge?.split(",") ?? [])]);
  const isPath = /^\.|[/\\]|\.(?:ts|js|mjs)$/.test(environment) && !environment.startsWith("@");
  const path = loaded.root ?? fileURLToPath(loaded.module);
  const queued: QueuedPlan = {
    format: 1,
    environment: { reference: isPath ? path : environment, hub, files },
    play,
    config: JSON.stringify(config),
    endpoints: Object.fromEntries(
      Object.entries(endpoints)
        .filter(([name]) => names.has(name))
        .map(([name, { headers: ____, ...endpoint }]) => [name, endpoint]),
    ),
  };
  return canonicalJson(queued);
}

/** Reads the plan of a run. */
export function parsePlan(text: string): QueuedPlan {
  const parsed = schema.safeParse(JSON.parse(text));
  if (parsed.success) return parsed.data as unknown as QueuedPlan;
  throw new ConfigError(
    "Another version of envs started this run. Install the same version on every machine.",
  );
}

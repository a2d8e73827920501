import type { ConfigFile, Endpoint } from "@envs/cli/kit";
import {
  type EnvironmentFiles,
  type HubVersions,
  pathOf,
  type LoadedEnvironment,
  mapReference,
} from "@envs/cli/kit/environments";
import { modelNamesIn } from "@envs/cli/kit/models";
import type { EvaluationPlan } from "@envs/cli/kit/runs";
import { ConfigError } from "@envs/core";
import { canonicalJson } from "@envs/core/engine";
import * as z from "zod";

import type { QueuedPolicy } from "./queued-policy.ts";

/** The data that a worker needs to play a run. */
export interface QueuedPlan {
  readonly format: 1;
  readonly environment: SharedEnvironment;
  readonly play: PlaySettings;
  /** The environment's config as JSON: its keys keep their order. */
  readonly config: string;
  /** The model of a training. Default: the model that `play` names. */
  readonly policy?: QueuedPolicy | undefined;
  /** The endpoints of the coordinator's config file that the plan names, without headers, which may be secret. */
  readonly endpoints: Readonly<Record<string, Endpoint>>;
}

/** An environment as other machines load it. */
export interface SharedEnvironment {
  /** A package's name, a version of a hub, an absolute path, or a mix of these. */
  readonly reference: string;
  /** The tarballs that workers install. */
  readonly versions: HubVersions;
  /** The hashes of its files on the coordinator's machine. */
  readonly files: EnvironmentFiles;
}

const playSettings = [
  "model",
  "baseURL",
  "apiKeyVariable",
  "tokens",
  "sampling",
  "rolloutsPerExample",
  "seed",
  "split",
  "retry",
  "maxTurns",
  "rotateSeats",
  "maxTotalTokens",
  "turnTimeout",
  "rolloutTimeout",
  "hookTimeout",
  "judge",
  "judgeBaseURL",
  "judgeConcurrency",
  "judgeTimeout",
  "judgeCache",
  "subModel",
  "subModelBaseURL",
  "subModelConcurrency",
] as const satisfies readonly (keyof EvaluationPlan)[];

/** How rollouts are played. Leases determine which. */
export type PlaySettings = Pick<EvaluationPlan, (typeof playSettings)[number]>;

const schema = z.looseObject({
  format: z.literal(1),
  environment: z.looseObject({
    reference: z.string(),
    versions: z.record(z.string(), z.looseObject({ name: z.string() })),
    files: z.record(z.string(), z.string()),
  }),
  play: z.looseObject({ model: z.string() }),
  config: z.string(),
  endpoints: z.record(z.string(), z.looseObject({ model: z.string() })),
});

/** An environment that is loaded here, for other machines. */
export async function sharedEnvironment(
  { reference, versions }: Pick<LoadedEnvironment, "reference" | "versions">,
  files: EnvironmentFiles,
): Promise<SharedEnvironment> {
  const shared = await mapReference(reference, (part) => pathOf(part) ?? part);
  return { reference: shared, versions, files };
}

/** Writes the plan of a run as JSON. */
export function formatPlan({
  environment,
  play,
  config,
  policy,
  endpoints,
}: {
  readonly environment: SharedEnvironment;
  /** Other settings are ignored. */
  readonly play: PlaySettings;
  readonly config: Readonly<Record<string, unknown>>;
  readonly policy?: QueuedPolicy | undefined;
  readonly endpoints: NonNullable<ConfigFile["endpoints"]>;
}): string {
  const named = [
    ...modelNamesIn(play.model),
    play.subModel,
    ...(play.judge?.split(",") ?? []),
  ].filter((name) => name !== undefined);
  const helpers = named.flatMap((name) => Object.values(endpoints[name]?.helpers ?? {}));
  const names = new Set([...named, ...helpers]);
  const queued: QueuedPlan = {
    format: 1,
    environment,
    play: Object.fromEntries(playSettings.map((name) => [name, play[name]])) as PlaySettings,
    config: JSON.stringify(config),
    policy,
    endpoints: Object.fromEntries(
      Object.entries(endpoints)
        .filter(([name]) => names.has(name))
        .map(([name, endpoint]) => [name, { ...endpoint, headers: undefined }]),
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

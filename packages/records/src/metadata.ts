import type { Summary } from "@envs/core";
import { mapValues, redactUrl } from "@envs/core/engine";
import * as z from "zod";

import { subModelUsageRow } from "./branch-rows.ts";
import { judgeUsageRow } from "./judge-usage.ts";

/** The version of the records that this package writes. It reads this and all earlier versions. */
export const schemaVersion = 1;

const optionalNumber = z.number().nullish().catch(undefined);

const metadataSchema = z.looseObject({
  schema_version: z.int().catch(0),
  env_id: z.string(),
  env_args: z.record(z.string(), z.unknown()).catch({}),
  model: z.string(),
  num_examples: z.number().catch(0),
  rollouts_per_example: z.number().catch(1),
  seed: optionalNumber,
  split: z.string().nullish().catch(undefined),
  shuffle: z.boolean().nullish().catch(undefined),
  sampling_args: z.record(z.string(), z.unknown()).catch({}),
  date: z.string().nullish().catch(undefined),
  time: optionalNumber,
  avg_reward: optionalNumber,
  pass_threshold: z.number().catch(0.5),
});

/** The options and results of a run: `metadata.json`. Unknown fields are preserved. */
export interface Metadata {
  readonly schema_version: number;
  readonly env_id: string;
  readonly env_args: Readonly<Record<string, unknown>>;
  readonly model: string;
  readonly num_examples: number;
  readonly rollouts_per_example: number;
  readonly seed?: number | null | undefined;
  readonly split?: string | null | undefined;
  readonly shuffle?: boolean | null | undefined;
  readonly sampling_args: Readonly<Record<string, unknown>>;
  /** The start of the run, in ISO 8601. */
  readonly date?: string | null | undefined;
  /** The duration in seconds. The durations of resumed parts are added. */
  readonly time?: number | null | undefined;
  readonly avg_reward?: number | null | undefined;
  readonly pass_threshold: number;
  readonly [field: string]: unknown;
}

const plan = z.looseObject({ baseURL: z.string() });

/**
 * Parses the `metadata.json` of this package or of verifiers. Redacts the secrets in addresses that older versions saved. Throws
 * a `ZodError` if it is invalid.
 */
export function parseMetadata(json: unknown): Metadata {
  const metadata: Metadata = metadataSchema.parse(json);
  const address = metadata["base_url"];
  const planned = plan.safeParse(metadata["plan"]);
  return {
    ...metadata,
    ...(typeof address === "string" ? { base_url: redactUrl(address) } : {}),
    ...(planned.success
      ? { plan: { ...planned.data, baseURL: redactUrl(planned.data.baseURL) } }
      : {}),
  };
}

/** The results of a run, as fields of `metadata.json`. */
export function totals(summary: Summary): Readonly<Record<string, unknown>> {
  const { counts, reward, scores, failures, usage, judgeUsage, subModelUsage } = summary;
  return {
    counts,
    avg_reward: reward.mean,
    avg_metrics: Object.fromEntries(Object.entries(scores).map(([name, { mean }]) => [name, mean])),
    avg_error: counts.total === 0 ? 0 : counts.failed / counts.total,
    failures,
    retries: summary.retries,
    failure_reasons: summary.failureReasons.map(
      ({ code, message, count, exampleIndex, exampleKey, rolloutIndex }) => ({
        code,
        message,
        count,
        example_id: exampleIndex,
        example_key: exampleKey,
        rollout_index: rolloutIndex,
      }),
    ),
    reward,
    scores,
    pass_at_k: summary.passAtK,
    pass_all_k: summary.passHatK,
    usage: {
      input_tokens: usage.inputTokens,
      output_tokens: usage.outputTokens,
      unknown_rollouts: usage.unknownRollouts,
    },
    ...(judgeUsage === undefined ? {} : { judge_usage: judgeUsageRow(judgeUsage) }),
    ...(subModelUsage && { sub_model_usage: subModelUsageRow(subModelUsage) }),
    ...(summary.parts === undefined ? {} : { parts: mapValues(summary.parts, totals) }),
    ...(summary.seats === undefined ? {} : { seats: mapValues(summary.seats, totals) }),
  };
}

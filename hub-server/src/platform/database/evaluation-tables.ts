import type { RolloutErrorCode } from "@envs/core";
import type { RolloutFacts } from "@envs/core/engine";
import type { Run, RunDeclaration, RunSummary } from "@envs/hub-client";
import type { Generated, GeneratedAlways } from "kysely";

import type { Json } from "./json-columns.ts";

/** A JSON object whose fields the database does not know. */
type JsonObject = Readonly<Record<string, unknown>>;

/** Whether the hub counts a repeated run as a reproduction, or why not. */
export type RepeatOutcome =
  | "reproduced"
  | "own"
  | "package-owner"
  | "other-recipe"
  | "not-declared"
  | "fewer-rollouts"
  | "same-replies"
  | "disagrees";

interface Runs {
  id: string;
  kind: "evaluation" | "training";
  state: Generated<"uploading" | "complete" | "taken-down">;
  package_id: number;
  version_id: number;
  owner_id: number;
  content_hash: string;
  config: Json<JsonObject>;
  config_hash: string;
  example_set: string;
  model: string;
  sampling: Json<JsonObject>;
  seed: number | null;
  split: string | null;
  pass_threshold: number;
  driver: string;
  core_version: string;
  price: Json<Run["recipe"]["price"]> | null;
  details: Json<JsonObject>;
  declaration_id: string | null;
  sample: Generated<string>;
  model_package: string | null;
  started_at: Date | null;
  totals: Json<JsonObject>;
  summary: Json<RunSummary> | null;
  reward: number | null;
  ranked_reward: GeneratedAlways<number | null>;
  ranked_low: GeneratedAlways<number | null>;
  ranked_high: GeneratedAlways<number | null>;
  bytes: number;
  created_at: Date;
  updated_at: Date;
  completed_at: Date | null;
}

interface Rollouts {
  run_id: string;
  position: number;
  part: number;
  member_start: number;
  member_bytes: number;
  phase: Generated<string>;
  step: Generated<number>;
  example_key: string;
  example_index: number;
  rollout_index: number;
  reward: number | null;
  scores: Json<Readonly<Record<string, number | null>>>;
  stop_reason: string | null;
  error_code: RolloutErrorCode | null;
  error_message: string | null;
  is_truncated: boolean;
  is_filtered: boolean;
  turns: number;
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens: number | null;
  cache_write_tokens: number | null;
  is_usage_known: boolean;
  tool_errors: Generated<string[]>;
  uses: Json<Pick<RolloutFacts, "tools" | "judgeUsage" | "retries">> | null;
  replies: string | null;
  example_hash: string | null;
}

/** Evaluations and trainings that users push. */
export interface EvaluationTables {
  declarations: {
    id: string;
    owner_id: number;
    package_id: number;
    version_id: number;
    model: string;
    seed: number;
    recipe: Json<RunDeclaration>;
    created_at: Date;
    expires_at: Date;
    completed_at: Date | null;
  };
  runs: Runs;
  run_parts: {
    run_id: string;
    part: number;
    kind: "rollouts" | "metrics" | "media";
    phase: Generated<string>;
    step: Generated<number>;
    sha256: string;
    bytes: number;
    lines: number;
    first_position: number;
    blob: string | null;
    blob_bytes: number | null;
    file: string | null;
  };
  rollouts: Rollouts;
  run_metrics: {
    run_id: string;
    position: number;
    phase: string;
    step: number;
    kind: "sft" | "rl" | "eval";
    seconds: number;
    values: Json<Readonly<Record<string, number | null>>>;
  };
  replay_jobs: {
    id: Generated<number>;
    kind: "rescore" | "diff" | "play";
    owner_id: number;
    run_id: string | null;
    from_version_id: number | null;
    to_version_id: number | null;
    played_run_id: string | null;
    declaration_id: string | null;
    state: Generated<"queued" | "running" | "done">;
    lease_until: Date | null;
    attempts: Generated<number>;
    result: Json<JsonObject> | null;
    created_at: Date;
    finished_at: Date | null;
  };
  replay_usage: {
    owner_id: number;
    day: string;
    queue: Generated<"replay" | "play">;
    milliseconds: number;
    cost: Generated<number>;
  };
  run_badges: {
    run_id: string;
    badge: "rescored" | "refuted";
    evidence: Json<JsonObject>;
    created_at: Date;
  };
  reproductions: {
    repeat_id: string;
    run_id: string;
    outcome: RepeatOutcome;
    evidence: Json<JsonObject>;
    created_at: Date;
  };
}

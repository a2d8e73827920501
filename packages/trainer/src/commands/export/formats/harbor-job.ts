import { createHash } from "node:crypto";

import type { Rollout, RolloutErrorCode } from "@envs/core";
import { canonicalJson } from "@envs/core/engine";

import type { ExportFile, ExportResult } from "../export-files.ts";
import { matchingRollouts } from "../filter-rollouts.ts";
import type { RunSource } from "../run-source.ts";
import { atif } from "./atif.ts";

type File = ExportFile<string | Uint8Array>;

/**
 * Exports rollouts as a job of Harbor: a folder for each trial, with its `result.json` and the trajectory of its agent. The scores are
 * the verifier's numbers; `reward` is the reward. A failed rollout has no numbers, and an exception.
 */
export function harborJob(source: RunSource): ExportResult<string | Uint8Array> {
  return {
    files: matchingRollouts(source).flatMap((rollout) => trialFiles(rollout, source)),
  };
}

function trialFiles(rollout: Rollout, source: RunSource): readonly File[] {
  const name = trialName(rollout);
  const { files } = atif({ ...source, rollouts: [rollout], clauses: [] });
  const [trajectory, ...media] = files;
  const result = { path: `${name}/result.json`, text: json(resultOf(rollout, name, source)) };
  const agent = (file: File, path: string): File => ({
    path: `${name}/agent/${path}`,
    text: file.text,
  });
  return [
    result,
    agent(trajectory!, "trajectory.json"),
    ...media.map((file) => agent(file, file.path)),
  ];
}

const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

function trialName({ exampleKey, exampleIndex, rolloutIndex }: Rollout): string {
  const task = exampleKey.replaceAll(/[^\w.-]+/gu, "_").slice(0, 60);
  return `${task}__${exampleIndex}-${rolloutIndex}`;
}

/** The names of exceptions of Harbor whose kind is the same. */
const exceptions: Readonly<Record<RolloutErrorCode, string>> = {
  model: "ModelError",
  agent: "AgentError",
  environment: "EnvironmentError",
  tool: "ToolError",
  score: "VerifierError",
  timeout: "TimeoutError",
  crash: "CrashError",
  worker: "WorkerError",
  cancelled: "CancelledError",
};

/** A `TrialResult` of Harbor 0.26. */
function resultOf(rollout: Rollout, name: string, { model }: RunSource): object {
  const { environment, exampleKey, usage, timing } = rollout;
  const hash = createHash("sha256")
    .update(canonicalJson([environment, exampleKey, name]))
    .digest();
  const path = `${environment}/${exampleKey}`;
  const at = (milliseconds: number): string => new Date(milliseconds).toISOString();
  const span = ({ start, end }: { readonly start: number; readonly end: number }) => ({
    started_at: at(start),
    finished_at: at(end),
  });
  return {
    id: uuidOf(hash),
    task_name: exampleKey,
    trial_name: name,
    trial_uri: `envs:${encodeURI(path)}/${rollout.rolloutIndex}`,
    task_id: { path },
    source: environment,
    task_checksum: hash.toString("hex"),
    config: { task: { path }, trial_name: name },
    agent_info: { name: "envs", version: "unknown", model_info: { name: model } },
    agent_result: {
      n_input_tokens: usage?.inputTokens,
      n_output_tokens: usage?.outputTokens,
      n_cache_tokens: usage?.cacheReadTokens,
    },
    ...(rollout.status === "scored"
      ? { verifier_result: { rewards: { ...rollout.scores, reward: rollout.reward } } }
      : {
          exception_info: {
            exception_type: exceptions[rollout.error.code],
            exception_message: rollout.error.message,
            exception_traceback: "",
            occurred_at: at(timing.scoring.end),
          },
        }),
    started_at: at(timing.setup.start),
    finished_at: at(timing.scoring.end),
    environment_setup: span(timing.setup),
    agent_execution: span(timing.generation),
    verifier: span(timing.scoring),
  };
}

/** A UUID of version 8, whose bits are the author's (RFC 9562, section 5.8). */
function uuidOf(hash: Buffer): string {
  const bytes = Buffer.from(hash.subarray(0, 16));
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

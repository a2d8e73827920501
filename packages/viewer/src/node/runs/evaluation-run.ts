import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import { parseMetadata } from "@envs/records";
import { type Fields, fieldsOf, numberOf, parseJson, textOf } from "@envs/records";
import { isTraceRun, readMetadata } from "@envs/records/node";

import type { RunHead, RunScore } from "../../run/run.ts";
import { RecordFile } from "./record-file.ts";
import { runId } from "./run-id.ts";
import type { RunReader } from "./run-reader.ts";

/** Whether a folder is a run of `envs eval` or of verifiers. */
export function isEvaluationFolder(path: string): boolean {
  return existsSync(join(path, "metadata.json")) || existsSync(join(path, "traces.jsonl"));
}

/** Opens the folder of a run: `results.jsonl` of this project and of verifiers 0.3, or `traces.jsonl` of verifiers 0.4. */
export function openEvaluation(path: string, id: string): RunReader {
  const isEpisodes = isTraceRun(path);
  const file = new RecordFile(join(path, isEpisodes ? "traces.jsonl" : "results.jsonl"));
  return {
    id,
    path,
    get generation() {
      return file.generation;
    },
    get rows() {
      return file.rows;
    },
    curves: [],
    linesPath: file.path,
    readHead: async () => ({
      ...(isEpisodes ? await episodesHead(path) : await metadataHead(path, file.scoreNames)),
      id,
      kind: "evaluation",
      rollouts: file.rows.length > 0 ? file.rows.length : null,
      place: path,
      steps: [],
      training: trainingOf(path),
    }),
    refresh: file.refresh,
    readRecord: (row) => file.readRecord(row),
  };
}

/** The training whose folder contains the run: `<training>/rollouts/<step>`. */
function trainingOf(path: string): string | undefined {
  const training = dirname(dirname(path));
  const isStep = basename(dirname(path)) === "rollouts" && existsSync(join(training, "run.json"));
  return isStep ? runId(training) : undefined;
}

type Head = Omit<RunHead, "id" | "kind" | "rollouts" | "place" | "steps" | "training">;

async function metadataHead(path: string, names: readonly string[]): Promise<Head> {
  const metadata = await anyMetadata(join(path, "metadata.json"));
  const weights = fieldsOf(metadata["weights"]);
  const examples = numberOf(metadata["num_examples"]) ?? 0;
  const planned = examples * (numberOf(metadata["rollouts_per_example"]) ?? 1);
  const isEnvs = (numberOf(metadata["schema_version"]) ?? 0) > 0;
  return {
    environment: textOf(metadata["env_id"]) ?? basename(path),
    model: textOf(metadata["model"]) ?? "unknown",
    date: textOf(metadata["date"]) ?? null,
    reward: numberOf(metadata["avg_reward"]) ?? null,
    isComplete: metadata["is_complete"] !== false,
    scores: scoresOf(names, weights),
    passThreshold: numberOf(metadata["pass_threshold"]) ?? 0.5,
    format: isEnvs ? "envs" : "verifiers",
    metadata,
    ...costOf(metadata),
    planned: planned > 0 ? planned : null,
  };
}

function costOf({ cost, price }: Fields): Pick<Head, "cost"> {
  const total = numberOf(cost);
  return total === undefined ? {} : { cost: { total, source: textOf(fieldsOf(price)["source"]) } };
}

/** The scores in the rubric's order, which the weights have. */
function scoresOf(names: readonly string[], weights: Fields): readonly RunScore[] {
  return [...new Set([...Object.keys(weights), ...names])].map((name) => ({
    name,
    weight: numberOf(weights[name]) ?? null,
  }));
}

/** Reads metadata with the secrets in addresses redacted. Metadata that is not valid is shown as it is. */
async function anyMetadata(file: string): Promise<Fields> {
  let json: unknown;
  try {
    json = parseJson(await readFile(file, "utf8"));
  } catch (error) {
    return { problem: `Cannot read metadata.json: ${String(error)}` };
  }
  try {
    return fieldsOf(parseMetadata(json));
  } catch {
    return fieldsOf(json);
  }
}

async function episodesHead(path: string): Promise<Head> {
  const { env_id: environment, model, config } = await readMetadata(path);
  return {
    environment,
    model,
    date: null,
    reward: null,
    isComplete: true,
    scores: [],
    passThreshold: 0.5,
    format: "verifiers",
    metadata: config,
    planned: null,
  };
}

import type { ExportResult } from "./export-files.ts";
import { atif } from "./formats/atif.ts";
import { harborJob } from "./formats/harbor-job.ts";
import { harbor } from "./formats/harbor.ts";
import { nemo } from "./formats/nemo.ts";
import { primeRl } from "./formats/prime-rl.ts";
import { samples } from "./formats/samples.ts";
import { sft, type SftOptions } from "./formats/sft.ts";
import { skyrl } from "./formats/skyrl.ts";
import { trl } from "./formats/trl.ts";
import { verl } from "./formats/verl.ts";
import type { RunSource } from "./run-source.ts";
import type { TrainingSource } from "./training-source.ts";

/** A format that exports an environment. */
interface EnvironmentFormat {
  readonly input: "environment";
  readonly summary: string;
  /** The options of `envs export` that apply to this format. */
  readonly options: readonly string[];
  /** If the format writes a folder: the suffix of its default name, after the environment's name. */
  readonly folder?: string;
  readonly create: (
    source: TrainingSource,
    options: { readonly taskset: string | undefined },
  ) => ExportResult | Promise<ExportResult>;
}

/** A format that exports a saved run. */
interface RunFormat {
  readonly input: "run";
  readonly summary: string;
  readonly options: readonly string[];
  readonly folder?: string;
  readonly create: (
    run: RunSource,
    options: SftOptions,
  ) => ExportResult<string | Uint8Array> | Promise<ExportResult<Uint8Array>>;
}

const serverOptions = ["url", "split", "count", "model", "config"];
const datasetOptions = ["split", "count", "seed", "config"];

/** The export formats, in the order of `--help`. */
export const exportFormats = {
  "prime-rl": {
    input: "environment",
    summary: "a TOML file",
    options: [...serverOptions, "taskset"],
    create: (source, { taskset }) => primeRl(source, taskset),
  },
  trl: { input: "environment", summary: "a Python script", options: serverOptions, create: trl },
  skyrl: { input: "environment", summary: "a shell script", options: serverOptions, create: skyrl },
  verl: {
    input: "environment",
    summary: "a folder for NeMo Gym, for NeMo RL and verl",
    options: ["url", ...datasetOptions, "seat"],
    folder: "gym",
    create: verl,
  },
  nemo: {
    input: "environment",
    summary: "a NeMo Gym dataset",
    options: [...datasetOptions, "seat"],
    create: nemo,
  },
  harbor: {
    input: "environment",
    summary: "task folders",
    options: datasetOptions,
    folder: "harbor",
    create: harbor,
  },
  sft: {
    input: "run",
    summary: "chat JSONL",
    options: ["where", "bare", "calls", "branches", "seats"],
    create: sft,
  },
  samples: {
    input: "run",
    summary: "token ids, masks, log-probabilities, rewards",
    options: ["where", "branches", "seats"],
    create: samples,
  },
  atif: {
    input: "run",
    summary: "trajectories of Harbor's format",
    options: ["where", "seats"],
    folder: "atif",
    create: atif,
  },
  "harbor-job": {
    input: "run",
    summary: "trials of Harbor with result.json and trajectory",
    options: ["where"],
    folder: "job",
    create: harborJob,
  },
  parquet: {
    input: "run",
    summary: "all rollouts as a table, for pandas, DuckDB and datasets",
    options: ["where", "seats"],
    create: async (run, options) => (await import("./formats/parquet.ts")).parquet(run, options),
  },
} as const satisfies Record<string, EnvironmentFormat | RunFormat>;

export type ExportFormatName = keyof typeof exportFormats;

export function isExportFormat(text: string): text is ExportFormatName {
  return Object.hasOwn(exportFormats, text);
}

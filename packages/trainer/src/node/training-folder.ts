import { existsSync } from "node:fs";
import { mkdir, readFile, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

import { ConfigError } from "@envs/core";
import * as z from "zod";

import { writeFileAtomically } from "../files.ts";
import { type TrainingPlan, trainingPlan } from "../train/plan.ts";

const stateFile = "state.json";
const runFile = "run.json";

const stateSchema = z.object({
  phase: z.string(),
  step: z.int().min(0),
  isEnd: z.boolean(),
  /** Relative to the run's folder. */
  checkpoint: z.string(),
  /** Seconds of training so far, of all sessions. */
  seconds: z.number().min(0),
});

/** Where a run can be taken up. */
export type TrainingState = z.output<typeof stateSchema>;

const runSchema = z.looseObject({
  schema_version: z.literal(1),
  environment: z.looseObject({ reference: z.string() }),
  plan: trainingPlan,
  command: z.string(),
  is_complete: z.boolean(),
});

/** What a training run is: `run.json`. */
export interface TrainingRecord {
  readonly schema_version: 1;
  readonly environment: {
    /** What the person wrote. */
    readonly reference: string;
    readonly name: string;
    readonly version: string | null;
    readonly content_hash: string;
  };
  readonly plan: TrainingPlan;
  /** The command line that does it again. */
  readonly command: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly date: string;
  readonly is_complete: boolean;
}

/** Where the training runs of an environment lie. */
export function trainingRuns(outputs: string, environment: string): string {
  return join(outputs, "train", environment);
}

export async function writeRecord(path: string, record: TrainingRecord): Promise<void> {
  await mkdir(join(path, "checkpoints"), { recursive: true });
  await writeJson(join(path, runFile), record);
}

/** Reads what a run is. Throws a `ConfigError` if `path` is no training run. */
export async function readRecord(path: string): Promise<TrainingRecord> {
  let json: unknown;
  try {
    json = JSON.parse(await readFile(join(path, runFile), "utf8"));
  } catch (error) {
    throw new ConfigError(`${path} is not a training run: it has no readable ${runFile}.`, [], {
      cause: error,
    });
  }
  const parsed = runSchema.safeParse(json);
  if (parsed.success) return parsed.data as unknown as TrainingRecord;
  throw new ConfigError(`${join(path, runFile)} is damaged:\n${z.prettifyError(parsed.error)}`);
}

/** The last state of a run; undefined if it has none. */
export async function readState(path: string): Promise<TrainingState | undefined> {
  const file = join(path, stateFile);
  if (!existsSync(file)) return undefined;
  const parsed = stateSchema.safeParse(JSON.parse(await readFile(file, "utf8")));
  if (parsed.success) return parsed.data;
  throw new ConfigError(`${file} is damaged:\n${z.prettifyError(parsed.error)}`);
}

/** Makes `state` the place where the run is taken up. Its checkpoint must be there already; older ones go, but for the ends of phases. */
export async function writeState(path: string, state: TrainingState): Promise<void> {
  await writeJson(join(path, stateFile), state);
  const folder = join(path, "checkpoints");
  for (const name of await readdir(folder)) {
    const isCurrent = join("checkpoints", name) === state.checkpoint;
    if (!isCurrent && /-\d+\.safetensors$/u.test(name))
      await rm(join(folder, name), { force: true });
  }
}

/** The name of a checkpoint, relative to the run's folder. Those of phase ends and starts stay. */
export function checkpointName({
  phase,
  step,
  isEnd,
}: Omit<TrainingState, "checkpoint" | "seconds">): string {
  const place = isEnd ? "end" : step === 0 ? "start" : String(step);
  return join("checkpoints", `${phase}-${place}.safetensors`);
}

/** The training runs of an environment, the newest first. */
export async function findTrainingRuns(outputs: string, environment: string): Promise<string[]> {
  const folder = trainingRuns(outputs, environment);
  const names = await readdir(folder).catch(() => []);
  return names
    .toSorted((a, b) => b.localeCompare(a))
    .map((name) => join(folder, name))
    .filter((path) => existsSync(join(path, runFile)));
}

async function writeJson(path: string, value: unknown): Promise<void> {
  await writeFileAtomically(path, Buffer.from(`${JSON.stringify(value, undefined, 2)}\n`));
}

import { existsSync } from "node:fs";
import { readFile, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

import { ConfigError } from "@envs/core";
import { createFolder } from "@envs/records/node";
import * as z from "zod";

import { writeFileAtomically } from "../files.ts";
import { trainingPlan } from "../train/plan.ts";
import { tokenPrice } from "./token-meter.ts";

const stateFile = "state.json";
const runFile = "run.json";
const tokenizerFile = "tokenizer.txt";

const stateSchema = z.object({
  phase: z.string(),
  step: z.int().min(0),
  isEnd: z.boolean(),
  /** Relative to the run's folder. */
  checkpoint: z.string(),
  /** Seconds of training so far, including the time before each interruption. */
  seconds: z.number().min(0),
  /** Tokens so far, including evaluations. */
  tokens: z.object({
    prompt: z.int().min(0),
    sampled: z.int().min(0),
    trained: z.int().min(0),
  }),
  entropy: z.object({ coefficient: z.number(), entropy: z.number().nullable() }).optional(),
});

/** The position and the checkpoint from which a run resumes: `state.json`. */
export type TrainingState = z.output<typeof stateSchema>;

const runSchema = z.object({
  schema_version: z.literal(1),
  environment: z.object({
    /** The environment's reference on the command line. */
    reference: z.string(),
    name: z.string(),
    /** The package of the environment; null for a loose file. */
    package: z.string().nullable(),
    version: z.string().nullable(),
    content_hash: z.string(),
    /** The hashes of the files that determine how it behaves, by path. */
    files: z.record(z.string(), z.string()),
  }),
  plan: trainingPlan,
  /** The command line that reproduces the run. */
  command: z.string(),
  /** Where a large model is trained, and what its tokens cost. Absent for the tiny model. */
  service: z.object({ base_url: z.string(), price: tokenPrice.exactOptional() }).exactOptional(),
  /** The queue whose workers play the rollouts, without its password, and the name of the training there. */
  queue: z.object({ training: z.uuid(), address: z.string() }).exactOptional(),
  /** The names of the judges. Absent if the run asks none. */
  judge: z.string().exactOptional(),
  /** The name of the model that answers sub-model calls. Absent if the policy does. */
  sub_model: z.string().exactOptional(),
  /** The agent that plays with the policy, a module. Absent if the policy plays itself. */
  agent: z.string().exactOptional(),
  is_complete: z.boolean(),
  versions: z.record(z.string(), z.string()),
  date: z.string(),
});

/** The definition of a training run: `run.json`. */
export type TrainingRecord = Readonly<z.output<typeof runSchema>>;

/** The folder of an environment's training runs. */
export function trainingRuns(outputs: string, environment: string): string {
  return join(outputs, "train", environment);
}

export async function writeRecord(path: string, record: TrainingRecord): Promise<void> {
  await createFolder(join(path, "checkpoints"));
  await writeJson(join(path, runFile), record);
}

/** Throws a `ConfigError` if `path` is not a training run. */
export async function readRecord(path: string): Promise<TrainingRecord> {
  let json: unknown;
  try {
    json = JSON.parse(await readFile(join(path, runFile), "utf8"));
  } catch (error) {
    throw new ConfigError(
      `${path} is not a training run: its ${runFile} is missing or not readable.`,
      [],
      {
        cause: error,
      },
    );
  }
  const parsed = runSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  throw new ConfigError(`${join(path, runFile)} is not valid:\n${z.prettifyError(parsed.error)}`);
}

/** The last state of a run. `undefined` before the first checkpoint. */
export async function readState(path: string): Promise<TrainingState | undefined> {
  const file = join(path, stateFile);
  if (!existsSync(file)) return undefined;
  const parsed = stateSchema.safeParse(JSON.parse(await readFile(file, "utf8")));
  if (parsed.success) return parsed.data;
  throw new ConfigError(`${file} is not valid:\n${z.prettifyError(parsed.error)}`);
}

/**
 * Records the state from which the run resumes. Its checkpoint must exist already. Deletes older checkpoints except those at
 * the start and the end of a phase.
 */
export async function writeState(path: string, state: TrainingState): Promise<void> {
  await writeJson(join(path, stateFile), state);
  const folder = join(path, "checkpoints");
  for (const name of await readdir(folder)) {
    const isCurrent = join("checkpoints", name) === state.checkpoint;
    if (!isCurrent && /-\d+\.safetensors$/u.test(name))
      await rm(join(folder, name), { force: true });
  }
}

/** Records which tokenizer a new model got, and why. */
export async function writeTokenizerNote(path: string, description: string): Promise<void> {
  await writeFileAtomically(join(path, tokenizerFile), Buffer.from(`${description}\n`));
}

/** `undefined` if the recipe determined the tokenizer. */
export async function readTokenizerNote(path: string): Promise<string | undefined> {
  const file = join(path, tokenizerFile);
  return existsSync(file) ? (await readFile(file, "utf8")).trim() : undefined;
}

/** The path of a checkpoint, relative to the run's folder. */
export function checkpointName({
  phase,
  step,
  isEnd,
}: Pick<TrainingState, "phase" | "step" | "isEnd">): string {
  const suffix = isEnd ? "end" : step === 0 ? "start" : String(step);
  return join("checkpoints", `${phase}-${suffix}.safetensors`);
}

/** The folders of an environment's training runs, the newest first. */
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

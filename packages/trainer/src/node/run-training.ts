import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { type EnvironmentFactory, type Message, type Model, type Rollout } from "@envs/core";
import { createRun, lockRun } from "@envs/core/node";
import { schemaVersion } from "@envs/core/records";
import { chatModel, TinyModel } from "@envs/tiny-model";
import { findCheckpoint } from "@envs/tiny-model/node";

import type { Backend } from "../backend.ts";
import { type MetricsRow, openMetrics } from "../report/metrics.ts";
import type { EvaluationCell } from "../report/training-report.ts";
import { tinyBackend } from "../tiny-backend.ts";
import { evaluationMetrics } from "../train/evaluations.ts";
import type { SftPhase } from "../train/plan.ts";
import { train, type TrainingEvent, type TrainingPosition } from "../train/train.ts";
import { cellsOf, type ExactFigures, openStages } from "./stages.ts";
import { startingPoint } from "./starting-point.ts";
import {
  checkpointName,
  readRecord,
  readState,
  type TrainingRecord,
  writeRecord,
  writeState,
} from "./training-folder.ts";

export interface RunTrainingOptions {
  readonly factory: EnvironmentFactory;
  /** The run's folder. */
  readonly path: string;
  /** What is run; left out to go on with the run that is there. */
  readonly record?: TrainingRecord;
  /** The conversations that a supervised phase learns from. */
  readonly chats: (phase: SftPhase) => Promise<readonly (readonly Message[])[]>;
  /** Exact figures of a stage, where the environment can be walked whole. */
  readonly exact?: (model: Model) => Promise<ExactFigures>;
  /** Another backend than the tiny model. */
  readonly backend?: Backend;
  readonly signal?: AbortSignal;
  /** Hears of everything that happens, with the row of metrics that it left. */
  readonly onEvent?: (event: TrainingEvent, row: MetricsRow | undefined) => void;
}

/** What came of a training run. */
export interface TrainingOutcome {
  readonly path: string;
  readonly isComplete: boolean;
  readonly cells: readonly EvaluationCell[];
}

/**
 * Trains in a folder that holds everything: what was run, metrics, checkpoints, kept rollouts. A run that was stopped, by
 * whatever, goes on from its last checkpoint and ends as if it had not been.
 */
export async function runTraining(options: RunTrainingOptions): Promise<TrainingOutcome> {
  const { path, signal } = options;
  await mkdir(path, { recursive: true });
  const unlock = await lockRun(path);
  try {
    return await inFolder(options);
  } catch (error) {
    if (signal?.aborted !== true) throw error;
    return { path, isComplete: false, cells: (await openStages(path)).cells };
  } finally {
    await unlock();
  }
}

async function inFolder(options: RunTrainingOptions): Promise<TrainingOutcome> {
  const { factory, path, chats, signal, onEvent } = options;
  const state = options.record === undefined ? await readState(path) : undefined;
  const record = options.record ?? (await readRecord(path));
  if (options.record !== undefined) await writeRecord(path, record);
  const { plan } = record;
  const from = state && { phase: state.phase, step: state.step };
  const metrics = await openMetrics(join(path, "metrics.jsonl"), from ?? nothing(plan));
  const stages = await openStages(path, from ?? nothing(plan), Object.keys(plan.phases));
  const backend = options.backend ?? (await startTiny(options, record, state?.checkpoint));
  if (options.backend !== undefined && state !== undefined)
    await backend.loadState(join(path, state.checkpoint));
  const model = chatModel(backend);
  const began = performance.now();
  const seconds = (): number => (state?.seconds ?? 0) + (performance.now() - began) / 1000;

  const handle = async (event: TrainingEvent): Promise<MetricsRow | undefined> => {
    const { phase } = event;
    switch (event.type) {
      case "phase":
        return undefined;
      case "step": {
        const { step, kind, report } = event;
        const row = { phase, step, kind, at: seconds(), values: report.values };
        await metrics.append(row);
        const settings = plan.phases[phase];
        const every = settings?.kind === "rl" ? settings.keepRolloutsEvery : 0;
        if (every > 0 && (step % every === 0 || step === 1))
          await keepRollouts(path, record, { ...event, rollouts: report.rollouts });
        return row;
      }
      case "evaluation": {
        const { step, isStage, results } = event;
        if (isStage) {
          const exact = await options.exact?.(model);
          await stages.append({ phase, step, cells: cellsOf(event, exact) });
          return undefined;
        }
        const row = {
          phase,
          step,
          kind: "eval" as const,
          at: seconds(),
          values: evaluationMetrics(results),
        };
        await metrics.append(row);
        return row;
      }
      case "checkpoint": {
        const { step, isEnd } = event;
        const checkpoint = checkpointName({ phase, step, isEnd });
        await backend.saveState(join(path, checkpoint));
        await writeState(path, { phase, step, isEnd, checkpoint, seconds: seconds() });
      }
    }
  };

  try {
    const events = train({
      factory,
      backend,
      plan,
      chats,
      reference: async (phase) => {
        const start = join(path, checkpointName({ phase, step: 0, isEnd: false }));
        const { checkpoint } = await findCheckpoint(start);
        return TinyModel.start("reference", checkpoint, { threads: plan.threads });
      },
      from,
      signal,
    });
    for await (const event of events) onEvent?.(event, await handle(event));
    await writeRecord(path, { ...record, is_complete: true });
    return { path, isComplete: true, cells: stages.cells };
  } finally {
    await metrics.close();
    await backend.close();
  }
}

/** Before the first row: what a run without a checkpoint has measured is measured again. */
function nothing({ phases }: TrainingRecord["plan"]): TrainingPosition {
  return { phase: Object.keys(phases)[0] ?? "", step: -1 };
}

async function startTiny(
  { chats, path }: RunTrainingOptions,
  { plan }: TrainingRecord,
  saved: string | undefined,
): Promise<Backend> {
  const checkpoint =
    saved === undefined
      ? await startingPoint(plan, chats)
      : (await findCheckpoint(join(path, saved))).checkpoint;
  return tinyBackend(await TinyModel.start("tiny", checkpoint, { threads: plan.threads }));
}

/** Saves the rollouts of a step as a run, to be read with `envs view`. */
async function keepRollouts(
  path: string,
  record: TrainingRecord,
  { phase, step, rollouts }: { phase: string; step: number; rollouts: readonly Rollout[] },
): Promise<void> {
  const { plan, environment } = record;
  const settings = plan.phases[phase];
  if (settings?.kind !== "rl") return;
  const run = await createRun(join(path, "rollouts", `${phase}-${step}`), {
    schema_version: schemaVersion,
    env_id: environment.name,
    env_args: settings.sources[0]?.config ?? {},
    model: `tiny, step ${step} of ${phase}`,
    num_examples: rollouts.length / settings.rolloutsPerExample,
    rollouts_per_example: settings.rolloutsPerExample,
    seed: plan.seed,
    sampling_args: { temperature: settings.temperature, top_p: settings.topP },
    date: new Date().toISOString(),
    pass_threshold: 0.5,
    is_complete: true,
  });
  for (const rollout of rollouts) await run.append(rollout);
  await run.close();
}

import { join } from "node:path";

import type { Model } from "@envs/core";
import { lockRun } from "@envs/records/node";
import { chatModel } from "@envs/tiny-model";

import type { Backend } from "../backend.ts";
import { type MetricsRow, openMetrics } from "../report/metrics.ts";
import type { EvaluationCell } from "../report/training-report.ts";
import { evaluationMetrics } from "../train/evaluations.ts";
import {
  train,
  type TrainingEvent,
  type TrainingPosition,
  type TrainOptions,
} from "../train/train.ts";
import { adapterFolder, writeAdapter } from "./adapter-folder.ts";
import { describeChoice, type PiecesChoice } from "./choose-pieces.ts";
import { playElsewhere, type PlayWithWeights } from "./play-elsewhere.ts";
import { saveRollouts, savesRollouts } from "./saved-rollouts.ts";
import { evaluationCells, type ExactFigures, openStages } from "./stages.ts";
import { startTinyBackend } from "./start-model.ts";
import { costOf, meterTokens, tokensBetween } from "./token-meter.ts";
import {
  checkpointName,
  readRecord,
  readState,
  type TrainingRecord,
  writeRecord,
  writeState,
  writeTokenizerNote,
} from "./training-folder.ts";

export interface RunTrainingOptions extends Pick<
  TrainOptions,
  "factory" | "chats" | "judge" | "subModel" | "agent" | "onTokenized"
> {
  /** The run's folder. */
  readonly path: string;
  /** The record of a new run. Undefined to resume the run in the folder. */
  readonly record?: TrainingRecord | undefined;
  /** Evaluates the model of a stage exactly, for environments whose game tree is small enough. */
  readonly exact?: ((model: Model) => Promise<ExactFigures>) | undefined;
  /** Plays the rollouts of steps and evaluations elsewhere. Default: core's `rollouts()`, in this process. */
  readonly play?: PlayWithWeights | undefined;
  /** Default: the tiny model of the plan. */
  readonly backend?: Backend | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Receives which tokenizer a new model got, and why. */
  readonly onTokenizer?: ((description: string) => void) | undefined;
  /** Receives each event, with the row that it added to the metrics. */
  readonly onEvent?: ((event: TrainingEvent, row: MetricsRow | undefined) => void) | undefined;
}

export interface TrainingOutcome {
  readonly path: string;
  readonly isComplete: boolean;
  readonly cells: readonly EvaluationCell[];
}

/**
 * Trains in a folder that contains the record, metrics, checkpoints and saved rollouts. An interrupted run resumes from its
 * last checkpoint, with the same results as an uninterrupted one.
 */
export async function runTraining(options: RunTrainingOptions): Promise<TrainingOutcome> {
  const { path, signal } = options;
  const unlock = await lockRun(path);
  try {
    return await trainInFolder(options);
  } catch (error) {
    if (signal?.aborted !== true) throw error;
    return { path, isComplete: false, cells: (await openStages(path)).cells };
  } finally {
    await unlock();
  }
}

async function trainInFolder(options: RunTrainingOptions): Promise<TrainingOutcome> {
  const { factory, path, chats, signal, onEvent } = options;
  const state = options.record === undefined ? await readState(path) : undefined;
  const record = options.record ?? (await readRecord(path));
  if (options.record !== undefined) await writeRecord(path, record);
  const { plan } = record;
  const from = state && { phase: state.phase, step: state.step, entropy: state.entropy };
  const position = from ?? positionBeforeStart(plan);
  const metrics = await openMetrics(join(path, "metrics.jsonl"), position);
  const stages = await openStages(path, position, Object.keys(plan.phases));
  const checkpointFile = state && join(path, state.checkpoint);
  const onChoice = async (choice: PiecesChoice): Promise<void> => {
    await writeTokenizerNote(path, describeChoice(choice));
    options.onTokenizer?.(describeChoice(choice));
  };
  const started =
    options.backend ?? (await startTinyBackend(plan, { chats, checkpointFile, signal, onChoice }));
  if (options.backend !== undefined && checkpointFile !== undefined)
    await started.loadState(checkpointFile);
  const meter = meterTokens(started, state?.tokens ?? { prompt: 0, sampled: 0, trained: 0 });
  const { backend } = meter;
  const model = chatModel(backend);
  const start = performance.now();
  const seconds = (): number => (state?.seconds ?? 0) + (performance.now() - start) / 1000;

  let counted = meter.counts;
  /** The tokens of a step, and the cost of the run so far. */
  const stepTokens = (): Record<string, number> => {
    const { prompt, sampled, trained } = tokensBetween(counted, meter.counts);
    counted = meter.counts;
    const price = record.service?.price;
    const cost = price === undefined ? {} : { cost: costOf(counted, price) };
    return {
      "tokens/prompt": prompt,
      "tokens/sampled": sampled,
      "tokens/trained": trained,
      ...cost,
    };
  };

  const handleEvent = async (event: TrainingEvent): Promise<MetricsRow | undefined> => {
    const { phase } = event;
    switch (event.type) {
      case "phase":
        return undefined;
      case "step": {
        const { step, kind, report } = event;
        const values = { ...report.values, ...stepTokens() };
        const row = { phase, step, kind, at: seconds(), values };
        await metrics.append(row);
        if (savesRollouts(plan, event))
          await saveRollouts(path, record, { phase, step, rollouts: report.rollouts });
        return row;
      }
      case "evaluation": {
        const { step, isStage, results } = event;
        counted = meter.counts;
        if (isStage) {
          const exact = await options.exact?.(model);
          await stages.append({ phase, step, cells: evaluationCells(event, exact) });
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
        const { step, isEnd, entropy } = event;
        const checkpoint = checkpointName({ phase, step, isEnd });
        await backend.saveState(join(path, checkpoint));
        if (started.adapterFiles !== undefined)
          await writeAdapter(join(path, adapterFolder), await started.adapterFiles());
        const progress = { seconds: seconds(), tokens: meter.counts };
        await writeState(path, { phase, step, isEnd, checkpoint, entropy, ...progress });
      }
    }
  };

  try {
    const events = train({
      factory,
      backend,
      plan,
      judge: options.judge,
      subModel: options.subModel,
      agent: options.agent,
      play: options.play && playElsewhere(options.play, started, meter),
      chats,
      onTokenized: options.onTokenized,
      reference:
        started.reference &&
        ((phase) =>
          started.reference!(join(path, checkpointName({ phase, step: 0, isEnd: false })))),
      from,
      signal,
    });
    for await (const event of events) onEvent?.(event, await handleEvent(event));
    await writeRecord(path, { ...record, is_complete: true });
    return { path, isComplete: true, cells: stages.cells };
  } finally {
    await metrics.close();
    await backend.close();
  }
}

/** The position of a run without a checkpoint, which discards all earlier measurements. */
function positionBeforeStart({ phases }: TrainingRecord["plan"]): TrainingPosition {
  return { phase: Object.keys(phases)[0] ?? "", step: -1 };
}

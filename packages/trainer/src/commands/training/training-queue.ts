import { UsageError } from "@envs/cli/kit";
import type { EnvironmentFiles, LoadedEnvironment } from "@envs/cli/kit/environments";
import type { QueueArguments } from "@envs/cli/kit/runs";
import { openedQueue, queueChoice, savedQueue, sharedEnvironment } from "@envs/queue/plans";

import type { TrainingRecord } from "../../node/training-folder.ts";
import {
  queuedTraining,
  type QueuedTraining,
  type QueuedTrainingOptions,
} from "./queued-training.ts";

/** The options of a training that a queue may play. */
export interface TrainingQueueOptions extends Omit<
  QueuedTrainingOptions,
  "opened" | "training" | "environment"
> {
  readonly args: QueueArguments & { readonly save: string };
  readonly environment: LoadedEnvironment;
  readonly files: EnvironmentFiles;
  readonly agent: string | undefined;
  /** The record of a run that is resumed. */
  readonly record: Pick<TrainingRecord, "queue"> | undefined;
}

/** A queue that plays the rollouts of a training. */
export interface TrainingQueue extends QueuedTraining {
  readonly record: NonNullable<TrainingRecord["queue"]>;
}

/** Opens the queue of a training; `undefined` if this process plays. A resumed training stays in its queue. */
export async function openTrainingQueue({
  args,
  environment: loaded,
  files,
  agent,
  record,
  ...options
}: TrainingQueueOptions): Promise<TrainingQueue | undefined> {
  const saved = record?.queue;
  const choice = queueChoice(args, { saved: saved?.address, note: options.note });
  if (choice === undefined) return undefined;
  if (agent !== undefined)
    throw new UsageError(
      `The agent ${agent} plays in this process, but --queue lets workers play. Remove --agent or --queue.`,
    );
  const environment = await sharedEnvironment(loaded, files);
  const opened = await openedQueue(choice, args.save, options.note);
  const training = saved?.training ?? crypto.randomUUID();
  return {
    ...queuedTraining({ ...options, opened, training, environment }),
    record: { training, address: savedQueue(opened.reference) },
  };
}

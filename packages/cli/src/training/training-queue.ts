import { UsageError } from "@envs/terminal";
import type { TrainingRecord } from "@envs/trainer/node";

import type { EnvironmentFiles } from "../environments/environment-files.ts";
import type { LoadedEnvironment } from "../environments/loaded-environment.ts";
import {
  openedQueue,
  type QueueArguments,
  queueChoice,
  savedQueue,
} from "../queue/queue-option.ts";
import { sharedEnvironment } from "../queue/queued-plan.ts";
import {
  queuedTraining,
  type QueuedTraining,
  type QueuedTrainingOptions,
} from "../queue/queued-training.ts";

interface TrainingQueueOptions extends Omit<
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

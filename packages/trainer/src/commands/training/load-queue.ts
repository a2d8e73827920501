import { importPackage } from "@envs/cli/kit";

import type { TrainingQueue, TrainingQueueOptions } from "./training-queue.ts";

/** The queue that plays the rollouts; `undefined` if this process does. */
export async function trainingQueue(
  options: TrainingQueueOptions,
): Promise<TrainingQueue | undefined> {
  const { args, record } = options;
  if (args.queue === undefined && args["max-queued"] === undefined && record?.queue === undefined)
    return undefined;
  await importPackage("queue/plans", "--queue");
  const { openTrainingQueue } = await import("./training-queue.ts");
  return await openTrainingQueue(options);
}

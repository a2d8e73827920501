import { join } from "node:path";

import { isServerUrl, openQueue, type Queue } from "@envs/queue";
import { UsageError } from "@envs/terminal";

/** The option of commands that start runs. */
export const queueOption = {
  queue: {
    type: "string",
    description:
      "Let workers play the rollouts: the URL of a PostgreSQL database, a folder, or embedded for one below --save. See envs worker",
    valueHint: "queue",
  },
} as const;

/** A queue that a command has opened. */
export interface OpenedQueue {
  readonly queue: Queue;
  /** As the user wrote it; the folder of an embedded queue. */
  readonly reference: string;
  /** Whether only this process can use it, so that the command plays the rollouts itself. */
  readonly isEmbedded: boolean;
}

/** Opens the queue that `--queue` names. */
export async function openedQueue(queue: string, outputs: string): Promise<OpenedQueue> {
  if (queue === "")
    throw new UsageError(
      "--queue is empty. Example: --queue postgres://envs@localhost/envs, or --queue embedded",
    );
  const reference = queue === "embedded" ? join(outputs, ".queue") : queue;
  const isEmbedded = !isServerUrl(reference);
  return { queue: await openQueue(reference), reference, isEmbedded };
}

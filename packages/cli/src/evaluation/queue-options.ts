import { valueOption } from "../terminal/options.ts";
import type { OptionValues } from "../text/text-option.ts";

/** The options of commands that start runs. */
export const queueOptions = {
  queue: valueOption(
    "Let workers play the rollouts: the URL of a PostgreSQL database, a folder, or embedded for one below --save. With --resume: none to leave the run's queue. See envs queue worker",
    "queue",
  ),
  "max-queued": valueOption(
    "Maximum number of rollouts in the queue that are not saved yet (default 2000); at least as many as the workers play at once",
    "count",
  ),
} as const;

/** The values of {@link queueOptions}. */
export type QueueArguments = OptionValues<keyof typeof queueOptions>;

/** A run in a queue, as its metadata name it. */
export interface QueuedRunRecord {
  readonly run: string;
  /** See `savedQueue`. */
  readonly address: string;
}

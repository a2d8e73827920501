import type { Endpoint } from "../config-file.ts";
import type { EnvironmentFiles } from "../environments/environment-files.ts";
import type { LoadedEnvironment } from "../environments/loaded-environment.ts";
import { importPackage } from "../packages/import-package.ts";
import type { PlayRollouts } from "./evaluation-options.ts";
import type { EvaluationPlan } from "./evaluation-plan.ts";
import { type QueueArguments, type QueuedRunRecord, queueOptions } from "./queue-options.ts";

/** How a run is played through a queue. */
export interface QueuedPlay extends AsyncDisposable {
  readonly record: QueuedRunRecord;
  readonly play: PlayRollouts;
}

export interface QueuedPlayRequest {
  readonly args: QueueArguments;
  readonly resumed: QueuedRunRecord | undefined;
  readonly environment: LoadedEnvironment;
  readonly files: EnvironmentFiles;
  readonly plan: EvaluationPlan;
  readonly endpoints: Readonly<Record<string, Endpoint>>;
  /** The folder in which runs are saved. */
  readonly outputs: string;
  readonly note: (text: string) => void;
}

/** Opens a queue that plays a run; returns `undefined` if this process plays it. */
export type OpenQueuedPlay = (request: QueuedPlayRequest) => Promise<QueuedPlay | undefined>;

/** Loads the package of queues only for a run that names one. */
export const openQueuedPlay: OpenQueuedPlay = async (request) => {
  const { args, resumed } = request;
  const isQueued = Object.keys(queueOptions).some(
    (name) => args[name as keyof QueueArguments] !== undefined,
  );
  if (!isQueued && resumed === undefined) return undefined;
  const queue = await importPackage<{ readonly openQueuedPlay: OpenQueuedPlay }>(
    "queue/commands",
    "--queue",
  );
  return queue.openQueuedPlay(request);
};

import { pino } from "pino";

import type { EnvironmentReference } from "../host/environment-reference.ts";
import type { HostOptions } from "../host/inline-hosts.ts";
import type { ServeOptions } from "../options.ts";
import { WorkerPool } from "./worker-pool.ts";

const defaultStepTimeoutMs = 120_000;
const maxTimerMs = 2 ** 31 - 1;

/** Starts processes that run the episodes of environments. Throws the first error of an environment. */
export function startWorkers(
  references: readonly EnvironmentReference[],
  options: ServeOptions,
  count: number,
): Promise<WorkerPool> {
  const { stepTimeout = defaultStepTimeoutMs, isLogging = false } = options;
  const log = pino({ level: isLogging ? "warn" : "silent" }, pino.destination(2));
  return WorkerPool.start({
    setup: { references, options: shareOf(options, count) },
    count,
    hangTimeoutMs: stepTimeout,
    log: (err, message) => log.error({ err }, message),
  });
}

/** The options of one worker. Messages between processes are JSON, which has no functions and no Infinity. */
function shareOf(
  {
    seed,
    judge,
    judgeConcurrency = 32,
    judgeTimeout,
    subModel,
    subModelConcurrency = 32,
  }: ServeOptions,
  count: number,
): HostOptions {
  return {
    seed,
    judge,
    judgeConcurrency: Math.ceil(judgeConcurrency / count),
    judgeTimeout: judgeTimeout === Infinity ? maxTimerMs : judgeTimeout,
    subModel,
    subModelConcurrency: Math.ceil(subModelConcurrency / count),
  };
}

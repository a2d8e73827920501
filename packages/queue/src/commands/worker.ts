import { hostname } from "node:os";
import { extname } from "node:path";

import {
  type EnvsCommand,
  integerOption,
  numberOption,
  onInterrupt,
  paint,
  loadConfigFile,
  valueOption,
} from "@envs/cli/kit";
import { duration } from "@envs/cli/kit/layout";
import { evaluationArguments } from "@envs/cli/kit/runs";

import type { WorkerMetrics } from "../metrics/worker-metrics.ts";
import { openWorkerQueue } from "../open-queue.ts";
import { AloneProcesses } from "../play-alone.ts";
import { watchThread } from "../watch-thread.ts";
import { work, type WorkerEvent } from "../worker.ts";
import type { AloneTask } from "./alone-process.ts";
import { noteWaiting } from "./note-waiting.ts";
import { queueReference } from "./queue-reference.ts";
import { parsePlan } from "./queued-plan.ts";
import { readyRun } from "./ready-run.ts";
import { WorkerEnvironments } from "./worker-environments.ts";

const workerArguments = {
  queue: valueOption(
    "URL of the PostgreSQL database, or of envs queue serve, with this host's token in ENVS_QUEUE_TOKEN (default ENVS_QUEUE)",
    "queue",
  ),
  concurrency: evaluationArguments.concurrency,
  "min-memory": valueOption(
    "Take no more groups while less memory than this is available (default 256)",
    "MiB",
  ),
  metrics: valueOption(
    "Serve metrics for Prometheus on this port, at /metrics (default: none)",
    "port",
  ),
  grace: valueOption(
    "After SIGTERM or Ctrl-C: how long groups may take to finish before they are given back (default 25)",
    "seconds",
  ),
  "config-file": valueOption(
    "File with this machine's endpoints (default ./envs.config.ts)",
    "file",
  ),
  quiet: evaluationArguments.quiet,
} as const;

/** Beside this file, `.ts` in sources and `.js` once built. */
const aloneProcess = new URL(`alone-process${extname(import.meta.url)}`, import.meta.url);

/** Code that keeps the thread for so long has lost the worker's leases before. Its supervisor starts it again. */
const stuckMs = 20_000;

export const command: EnvsCommand<typeof workerArguments> = {
  meta: {
    name: "queue worker",
    description:
      "Play rollouts of every run in a queue (envs eval --queue), until SIGTERM or Ctrl-C. A worker leaves runs that it cannot play to others: those whose environment, sandbox or model it lacks",
  },
  args: workerArguments,

  async run({ args }): Promise<number> {
    const reference = queueReference(
      args.queue,
      "envs queue worker --queue postgres://envs@localhost/envs",
    );
    const { endpoints } = await loadConfigFile(args["config-file"]);
    const concurrency = integerOption("concurrency", args.concurrency) ?? 32;
    const minMemory = (integerOption("min-memory", args["min-memory"], 0) ?? 256) * 2 ** 20;
    const isValid = (value: number): string | undefined => (value >= 0 ? undefined : "at least 0");
    const grace = numberOption("grace", args.grace, isValid) ?? 25;
    const abort = new AbortController();
    const names = new Map<string, RunName>();
    const environments = new WorkerEnvironments();
    const note = (text: string): void =>
      void (args.quiet === true || process.stderr.write(`${text}\n`));
    const interrupt = onInterrupt(() => {
      note(`Stopping. Groups that do not finish in ${duration(grace)} are given back.`);
      setTimeout(() => abort.abort(), grace * 1000).unref();
    });
    await using _watch = watchThread({ stuckMs });
    using alone = new AloneProcesses(aloneProcess);
    try {
      await using queue = await openWorkerQueue(reference, {
        token: process.env["ENVS_QUEUE_TOKEN"],
        signal: interrupt.signal,
        ...noteWaiting((text) => note(paint("yellow", text))),
      });
      const port = integerOption("metrics", args.metrics, 0);
      await using metrics = port === undefined ? undefined : await serveMetrics(port, note);
      const log = logger(names, note);
      note(`Waiting for runs: ${concurrency} rollouts at once. Press Ctrl-C to stop.`);
      const report = await work(queue, {
        host: hostname(),
        concurrency,
        prepare: async (run) => {
          const { environment, play, policy } = parsePlan(run.plan);
          const isTraining = policy !== undefined;
          const model = isTraining ? `${play.model} in training` : play.model;
          names.set(run.id, { name: `${environment.reference} · ${model}`, isTraining });
          return await readyRun(run, { endpoints, environments, concurrency });
        },
        playAlone: (run, lease, stopped) => {
          const task: AloneTask = { run, lease, configFile: args["config-file"], concurrency };
          return alone.play(task, stopped);
        },
        hasRoom: () => process.availableMemory() >= minMemory,
        signal: interrupt.signal,
        abort: abort.signal,
        onUnavailable: ({ message }) => note(paint("yellow", `${message} Trying again.`)),
        onEvent(event) {
          log(event);
          if (event.type === "report") metrics?.update(event.report);
        },
      });
      note(`Played ${report.rollouts} rollouts, ${report.failures} failed.`);
      return 0;
    } finally {
      interrupt.dispose();
    }
  },
};

async function serveMetrics(port: number, note: (text: string) => void): Promise<WorkerMetrics> {
  const { workerMetrics } = await import("../metrics/worker-metrics.ts");
  const metrics = await workerMetrics(port);
  note(paint("dim", `Metrics on port ${metrics.port}, at /metrics.`));
  return metrics;
}

interface RunName {
  readonly name: string;
  /** A batch of a training: each step is a run. */
  readonly isTraining: boolean;
}

/**
 * Writes a line for each run that begins, ends or cannot be played, and one whenever rollouts were played. The runs of a training
 * have one line together.
 */
function logger(
  names: Map<string, RunName>,
  note: (text: string) => void,
): (event: WorkerEvent) => void {
  let rollouts = 0;
  const written = new Set<string>();
  const writeRun = (state: string, id: string, reason = ""): void => {
    const { name, isTraining } = names.get(id) ?? { name: id, isTraining: false };
    const line = `${state} ${name}${reason}`;
    if (!isTraining || !written.has(line)) note(line);
    if (isTraining) written.add(line);
  };
  return (event) => {
    if (event.type === "ready") writeRun(paint("green", "playing"), event.runId);
    if (event.type === "refused")
      writeRun(paint("yellow", "skipped"), event.runId, `: ${event.reason}`);
    if (event.type === "closed") {
      if (names.get(event.runId)?.isTraining !== true)
        writeRun(paint("dim", "ended  "), event.runId);
      names.delete(event.runId);
    }
    if (event.type !== "report" || event.report.rollouts === rollouts) return;
    ({ rollouts } = event.report);
    const { running, failures } = event.report;
    note(paint("dim", `${rollouts} rollouts, ${failures} failed, ${running} running`));
  };
}

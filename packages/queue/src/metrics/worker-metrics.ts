import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { ConfigError } from "@envs/core";
import { messageOf } from "@envs/core/engine";
import { collectDefaultMetrics, Gauge, Registry } from "prom-client";

import type { WorkerReport } from "../queue.ts";

/** A server of one worker's metrics. */
export interface WorkerMetrics extends AsyncDisposable {
  readonly port: number;
  /** Replaces the values. */
  readonly update: (report: WorkerReport) => void;
}

/** Serves the reports of one worker, and the memory and CPU time of its process, at `/metrics`. Port 0: any free port. */
export async function workerMetrics(port: number, host?: string): Promise<WorkerMetrics> {
  const register = new Registry();
  collectDefaultMetrics({ register });
  const gauge = (name: string, help: string): Gauge =>
    new Gauge({ name: `envs_worker_${name}`, help, registers: [register] });
  const gauges = {
    concurrency: gauge("concurrency", "Maximum number of concurrent rollouts"),
    running: gauge("running", "Rollouts that run now"),
    rollouts: gauge("rollouts", "Rollouts since the worker started"),
    failures: gauge("failures", "Failed rollouts since the worker started"),
  };
  const runs = gauge("runs", "Runs that the worker plays");
  const refused = gauge("runs_refused", "Runs that the worker cannot play");
  const server = createServer(async ({ url }, response) => {
    if (url !== "/metrics") return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": register.contentType });
    return void response.end(await register.metrics());
  });
  try {
    server.listen({ host, port });
    await once(server, "listening");
  } catch (error) {
    throw new ConfigError(
      `Cannot serve metrics on port ${port}: ${messageOf(error)}. Choose another port with --metrics.`,
      [],
      { cause: error },
    );
  }
  return {
    port: (server.address() as AddressInfo).port,
    update(report) {
      for (const name of Object.keys(gauges) as (keyof typeof gauges)[])
        gauges[name].set(report[name]);
      runs.set(report.ready.length);
      refused.set(report.refused.length);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

import type { FastifyInstance } from "fastify";
import { Counter, Gauge, Registry } from "prom-client";
import * as z from "zod";

import { textResponse } from "./openapi.ts";

/** The body of `/health`. Clients of OpenEnv expect the status `healthy`. */
export const health = z.object({
  status: z.enum(["healthy", "draining"]),
  sessions: z.object({
    open: z.int(),
    max: z.int(),
    /** Sessions whose environment is running. */
    busy: z.int(),
    /** Sessions whose environment has been running for half of the time limit. */
    stuck: z.int(),
  }),
  timeouts: z.int().describe("Resets, steps and scores that exceeded the time limit"),
  processes: z.object({
    ready: z.int(),
    /** Processes that have not answered for some time, because an environment does not yield. */
    blocked: z.int(),
    /** Processes that were ended because they did not answer within the time limit. */
    killed: z.int(),
    /** Processes that ended by themselves. */
    crashed: z.int(),
  }),
});

/** The figures of `/health` and `/metrics`. */
export interface ServerStatus extends Omit<z.output<typeof health>, "status"> {
  readonly isDraining: boolean;
}

export function healthOf({ isDraining, ...status }: ServerStatus): z.output<typeof health> {
  return { status: isDraining ? "draining" : "healthy", ...status };
}

/** Metrics for Prometheus. */
export function metricsRoute(app: FastifyInstance, status: () => ServerStatus): void {
  app.get(
    "/metrics",
    { schema: { tags: ["operations"], response: { 200: textResponse } } },
    async (_request, reply) => {
      const register = metricsOf(status());
      return reply.type(register.contentType).send(await register.metrics());
    },
  );
}

function metricsOf({ isDraining, sessions, timeouts, processes }: ServerStatus): Registry {
  const register = new Registry();
  const registers = [register];
  const gauge = (name: string, help: string, value: number): void =>
    new Gauge({ name, help, registers }).set(value);
  const counter = (name: string, help: string, value: number): void =>
    new Counter({ name, help, registers }).inc(value);
  gauge("envs_sessions_open", "Open sessions", sessions.open);
  gauge("envs_sessions_max", "The maximum number of sessions", sessions.max);
  gauge("envs_sessions_busy", "Sessions whose environment is running", sessions.busy);
  gauge("envs_sessions_stuck", "Sessions whose environment may hang", sessions.stuck);
  counter("envs_timeouts_total", "Actions that exceeded the time limit", timeouts);
  gauge("envs_processes_ready", "Processes that run episodes", processes.ready);
  gauge("envs_processes_blocked", "Processes that do not answer", processes.blocked);
  counter("envs_processes_killed_total", "Processes ended by the time limit", processes.killed);
  counter("envs_processes_crashed_total", "Processes that ended by themselves", processes.crashed);
  gauge("envs_draining", "1 while the server shuts down", Number(isDraining));
  return register;
}

import { v5 as uuidv5 } from "uuid";

import type { Lease, WorkerQueue } from "../queue.ts";
import { rowsProblem } from "./check-rows.ts";
import type { Requests, Responses, SignedLease } from "./messages.ts";
import type { Tickets } from "./tickets.ts";

/** A request that the server refuses. A client does not repeat it. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
  readonly statusCode: number;

  constructor(statusCode: number, message: string) {
    super(message);
    this.statusCode = statusCode;
  }
}

interface Call {
  /** The host that the client's token belongs to. */
  readonly host: string;
  /** Aborted when the client disconnects before it has the response. */
  readonly signal: AbortSignal;
}

export type Handlers = {
  readonly [Path in keyof Requests]: (body: Requests[Path], call: Call) => Promise<Responses[Path]>;
};

/** Answers requests of hosts. A host is not trusted: it can act only for itself, on leases with its ticket. */
export function handlersOf(queue: WorkerQueue, tickets: Tickets): Handlers {
  const checked = (host: string, { ticket, ...lease }: SignedLease): Lease => {
    if (tickets.isOfLease(host, lease, ticket)) return lease;
    throw new RefusedError(
      409,
      `The lease ${lease.id} was not given to the host ${host}, or was changed. It expires by itself.`,
    );
  };

  return {
    async "/v1/lease"({ worker, ready, refused, rollouts }, { host, signal }) {
      const request = { worker: workerId(host, worker), ready, refused, rollouts, signal };
      const { leases, runs } = await queue.lease(request);
      const giveBack = (): void => void queue.release(leases).catch(() => {});
      if (signal.aborted) giveBack();
      else signal.addEventListener("abort", giveBack);
      return {
        leases: leases.map((lease) => withTicket(lease, tickets.sign(host, lease))),
        runs,
      };
    },

    async "/v1/heartbeat"({ report, leases }, { host }) {
      const held = leases.filter(({ ticket, ...attempt }) =>
        tickets.isOfAttempt(host, attempt, ticket),
      );
      return await queue.heartbeat({ ...report, id: workerId(host, report.id), host }, held);
    },

    async "/v1/complete"({ lease, rows }, { host }) {
      const group = checked(host, lease);
      const problem = rowsProblem(group, rows);
      if (problem !== undefined)
        throw new RefusedError(422, `The rows of the lease ${lease.id} are refused: ${problem}.`);
      await queue.complete(group, rows);
      return {};
    },

    async "/v1/fail"({ lease, reason }, { host }) {
      await queue.fail(checked(host, lease), `${host}: ${reason}`);
      return {};
    },

    async "/v1/release"({ leases }, { host }) {
      await queue.release(leases.map((lease) => checked(host, lease)));
      return {};
    },

    async "/v1/leave"({ worker }, { host }) {
      await queue.leave(workerId(host, worker));
      return {};
    },
  };
}

function withTicket(lease: Lease, ticket: string): SignedLease {
  const { id, attempt, runId, group, isSuspect } = lease;
  return { id, attempt, runId, group, isSuspect, ticket };
}

const namespace = "6ec8c9a2-8a1f-4d0a-9c51-5d7b3f1f7f55";

/** A worker's id as others see it: a host cannot report for the worker of another host, or remove it. */
function workerId(host: string, id: string): string {
  return uuidv5(id, uuidv5(host, namespace));
}

import type { Example } from "@envs/core";
import * as z from "zod";

import type {
  HeartbeatResponse,
  Lease,
  LeaseKey,
  LeaseRequest,
  PlayedRow,
  QueuedRun,
  WorkerReport,
} from "../queue.ts";

/** Proves that the server gave a lease to the host that returns it. */
export interface Ticket {
  readonly ticket: string;
}

/** A lease as it travels. */
export type SignedLease = Lease & Ticket;

/** The bodies of requests, by path. */
export interface Requests {
  readonly "/v1/lease": Omit<LeaseRequest, "signal">;
  readonly "/v1/heartbeat": {
    readonly report: WorkerReport;
    /** The leases, without their groups, which may be large. */
    readonly leases: readonly (LeaseKey & Ticket)[];
  };
  readonly "/v1/complete": { readonly lease: SignedLease; readonly rows: readonly PlayedRow[] };
  readonly "/v1/fail": { readonly lease: SignedLease; readonly reason: string };
  readonly "/v1/release": { readonly leases: readonly SignedLease[] };
  readonly "/v1/leave": { readonly worker: string };
}

/** The bodies of responses, by path. */
export interface Responses {
  readonly "/v1/lease": {
    readonly leases: readonly SignedLease[];
    readonly runs: readonly QueuedRun[];
  };
  readonly "/v1/heartbeat": HeartbeatResponse;
  readonly "/v1/complete": object;
  readonly "/v1/fail": object;
  readonly "/v1/release": object;
  readonly "/v1/leave": object;
}

type Schemas<Bodies> = { readonly [Path in keyof Bodies]: z.ZodType<Bodies[Path]> };

const uuid = z.uuid();
const count = z.int().min(0);
const runs = z.array(uuid).max(10_000);
const key = { id: uuid, attempt: count, runId: uuid, ticket: z.string().max(100) };
const example = z.custom<Example>((value) => typeof value === "object" && value !== null);
const lease = z.strictObject({
  ...key,
  group: z.strictObject({
    example: z.strictObject({ example, key: z.string(), index: count }),
    block: count,
    rolloutIndices: z.array(count).min(1).max(100_000),
  }),
  isSuspect: z.boolean(),
});
const reason = z.string().max(10_000);
const report = z.strictObject({
  id: uuid,
  host: z.string().max(255),
  concurrency: count,
  running: count,
  rollouts: count,
  failures: count,
  ready: runs,
  refused: z.array(z.strictObject({ runId: uuid, reason })).max(10_000),
});

/** Checks the bodies of requests: hosts are not trusted. */
export const requests: Schemas<Requests> = {
  "/v1/lease": z.strictObject({
    worker: uuid,
    ready: runs,
    refused: runs,
    rollouts: z.int().min(1).max(1_000_000),
  }),
  "/v1/heartbeat": z.strictObject({ report, leases: z.array(z.strictObject(key)).max(10_000) }),
  "/v1/complete": z.strictObject({
    lease,
    rows: z.array(z.strictObject({ rolloutIndex: count, row: z.string() })).min(1),
  }),
  "/v1/fail": z.strictObject({ lease, reason }),
  "/v1/release": z.strictObject({ leases: z.array(lease).max(10_000) }),
  "/v1/leave": z.strictObject({ worker: uuid }),
};

/** Checks the bodies of responses. A newer server may add fields. */
export const responses: Schemas<Responses> = {
  "/v1/lease": z.object({
    leases: z.array(lease),
    runs: z.array(z.object({ id: uuid, plan: z.string() })),
  }),
  "/v1/heartbeat": z.object({ closed: runs }),
  "/v1/complete": z.object({}),
  "/v1/fail": z.object({}),
  "/v1/release": z.object({}),
  "/v1/leave": z.object({}),
};

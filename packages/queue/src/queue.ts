import type { KeyedExample } from "@envs/core/engine";

/** A run that workers play. */
export interface QueuedRun {
  /** A UUID. */
  readonly id: string;
  /** The plan of the run as JSON, which a worker plays. The queue does not read it. */
  readonly plan: string;
}

/** Rollouts of one example, which one worker plays together. */
export interface Group {
  readonly example: KeyedExample;
  /** The part of the example's rollouts that these belong to, from 0. With group scores, there is one. */
  readonly block: number;
  /** The numbers of the rollouts, in ascending order. */
  readonly rolloutIndices: readonly number[];
}

/** A group that one worker may play until its heartbeats stop. */
export interface Lease {
  /** The id of the job: the same for each attempt at the group. */
  readonly id: string;
  /** The number of earlier leases of the group that were lost. */
  readonly attempt: number;
  readonly runId: string;
  readonly group: Group;
  /** A worker that held the group was lost: its code may have killed it. */
  readonly isSuspect: boolean;
}

/** The identity of a {@link Lease}: one attempt at a group. */
export type LeaseKey = Pick<Lease, "id" | "attempt" | "runId">;

/** A rollout that a worker has played. */
export interface PlayedRow {
  readonly rolloutIndex: number;
  /** One line of `results.jsonl`, without the line feed. */
  readonly row: string;
}

/** A rollout that the coordinator receives: its row, or why no worker could play it. */
export type ResultRow = {
  /** See `groupId`. */
  readonly groupId: string;
  readonly rolloutIndex: number;
} & ({ readonly row: string } | { readonly failure: string });

/** A position in the results of a run, which only the queue interprets. */
export type Cursor = string;

export interface ResultPage {
  readonly rows: readonly ResultRow[];
  /** The position after these rows. */
  readonly cursor: Cursor;
}

/** `open`: workers may lease its groups. A finished or cancelled run is deleted after a day. */
export type RunState = "open" | "cancelled" | "finished";

/** The state of a worker, sent with each heartbeat. */
export interface WorkerReport {
  /** A UUID, new for each process. */
  readonly id: string;
  readonly host: string;
  /** The maximum number of concurrent rollouts. */
  readonly concurrency: number;
  /** The number of rollouts that run now. */
  readonly running: number;
  /** The number of rollouts that this process has played. */
  readonly rollouts: number;
  /** The number of failed rollouts among these. */
  readonly failures: number;
  /** The runs that it can play. */
  readonly ready: readonly string[];
  /** The runs that it cannot play, and why. */
  readonly refused: readonly { readonly runId: string; readonly reason: string }[];
}

/** A worker as others see it. */
export interface WorkerStatus extends WorkerReport {
  /** The start in milliseconds since 1970, by the clock of the queue. */
  readonly startedAt: number;
  readonly seenAt: number;
  /** Whether its latest heartbeat is recent. */
  readonly isAlive: boolean;
  /** Whether groups that it held by its latest heartbeat are not done. */
  readonly holdsGroups: boolean;
}

/** The state of an open run. Times are durations by the clock of the queue. */
export interface RunStatus {
  readonly id: string;
  /** The plan of the run, as its coordinator wrote it. */
  readonly plan: string;
  readonly ageMs: number;
  /** The number of groups that wait for a worker. The coordinator adds more as results arrive. */
  readonly waiting: number;
  /** The number of groups that workers hold. */
  readonly leased: number;
  /** The number of groups that no worker could play. */
  readonly failed: number;
  /** The number of rollouts that workers have returned. */
  readonly arrived: number;
  /** The milliseconds that the oldest group has been waiting; 0 if none waits. */
  readonly lagMs: number;
}

export interface LeaseRequest {
  /** The id of the worker. */
  readonly worker: string;
  /** The runs that the worker is ready to play, in the order in which it prefers them. */
  readonly ready: readonly string[];
  /** The runs that the worker cannot play. */
  readonly refused: readonly string[];
  /** The room of the worker: the number of rollouts after which no further group is leased. */
  readonly rollouts: number;
  /** Ends the wait: the response is empty. */
  readonly signal: AbortSignal;
}

export interface LeaseResponse {
  readonly leases: readonly Lease[];
  /** Open runs that the request names neither as ready nor as refused. */
  readonly runs: readonly QueuedRun[];
}

export interface HeartbeatResponse {
  /** Cancelled or finished runs among those that the worker is ready to play. */
  readonly closed: readonly string[];
}

/** The queue as workers see it. A worker cannot distinguish PostgreSQL from HTTP. */
export interface WorkerQueue extends AsyncDisposable {
  /** Waits, up to some seconds, until there is a lease or an open run that the worker has not tried. */
  lease(request: LeaseRequest): Promise<LeaseResponse>;
  /** Keeps leases, and publishes the report. A lease without a heartbeat for 15 seconds goes to another worker. */
  heartbeat(report: WorkerReport, leases: readonly LeaseKey[]): Promise<HeartbeatResponse>;
  /**
   * Stores the rows of a group and completes its job in one transaction. If the group was played twice, because a lease was lost,
   * the rows that arrive first count.
   */
  complete(lease: Lease, rows: readonly PlayedRow[]): Promise<void>;
  /** Fails an attempt at a group. After twenty attempts, its rollouts fail with this reason. */
  fail(lease: Lease, reason: string): Promise<void>;
  /** Returns leases unplayed. This does not count as an attempt. */
  release(leases: readonly Lease[]): Promise<void>;
  /** Removes a worker that ends from the list of workers. */
  leave(worker: string): Promise<void>;
}

/** The queue as the coordinator of a run sees it. Every method may be repeated. */
export interface CoordinatorQueue extends AsyncDisposable {
  /**
   * Opens a run, and returns the position after its present rows. Does not open it again if it is open; throws a `ConfigError` if
   * it is closed, or open with another plan.
   */
  start(run: QueuedRun): Promise<Cursor>;
  /** `undefined` for an unknown run. */
  state(runId: string): Promise<RunState | undefined>;
  /** Adds groups. Those that were added before are ignored. */
  enqueue(runId: string, groups: readonly Group[]): Promise<void>;
  /**
   * The rows after a position. Waits up to some seconds for the first one, or until the signal is aborted. Throws a `ConfigError` if
   * the run was cancelled, so that no more rows arrive.
   */
  results(runId: string, query: ResultQuery): Promise<ResultPage>;
  /** The rows of some groups, also those that {@link results} does not return yet. */
  groupResults(runId: string, groupIds: readonly string[]): Promise<readonly ResultRow[]>;
  /** Stops workers at their next heartbeat. */
  cancel(runId: string): Promise<void>;
  finish(runId: string): Promise<void>;
  /** Deletes a run and its rows at once, not a day after its end. */
  remove(runId: string): Promise<void>;
  /** The workers that were seen in the last day, newest first. */
  workers(): Promise<readonly WorkerStatus[]>;
  /** The open runs, oldest first. */
  openRuns(): Promise<readonly RunStatus[]>;
}

export interface ResultQuery {
  /** Default: from the first row. */
  readonly after?: Cursor | undefined;
  /** The maximum number of rows. */
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
}

/** A queue of groups of rollouts, on one database. */
export interface Queue extends WorkerQueue, CoordinatorQueue {}

/** The queue cannot be reached at the moment. Every method may be repeated after it. */
export class QueueUnavailableError extends Error {
  override readonly name = "QueueUnavailableError";
}

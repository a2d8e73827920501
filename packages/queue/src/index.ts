export type {
  CoordinatorQueue,
  Cursor,
  Group,
  HeartbeatResponse,
  Lease,
  LeaseKey,
  LeaseRequest,
  LeaseResponse,
  PlayedRow,
  Queue,
  QueuedRun,
  ResultPage,
  ResultQuery,
  ResultRow,
  RunState,
  RunStatus,
  WorkerQueue,
  WorkerReport,
  WorkerStatus,
} from "./queue.ts";
export { QueueUnavailableError } from "./queue.ts";
export type { PersistOptions } from "./persist.ts";
export { groupId, groupsOf } from "./group.ts";
export { isServerUrl, openQueue, openWorkerQueue } from "./open-queue.ts";
export type { OpenQueueOptions } from "./open-queue.ts";
export { queuedRollouts } from "./coordinator.ts";
export type { QueuedRolloutsOptions } from "./coordinator.ts";
export { work } from "./worker.ts";
export type { WorkerEvent, WorkOptions } from "./worker.ts";
export type { ReadyRun } from "./play-run.ts";

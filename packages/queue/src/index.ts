export type {
  CoordinatorQueue,
  Cursor,
  Group,
  HeartbeatResponse,
  Lease,
  LeaseRequest,
  LeaseResponse,
  PlayedRow,
  Queue,
  QueuedRun,
  ResultPage,
  ResultQuery,
  ResultRow,
  RunState,
  WorkerQueue,
  WorkerReport,
  WorkerStatus,
} from "./queue.ts";
export { QueueUnavailableError } from "./queue.ts";
export { groupId, groupsOf } from "./group.ts";

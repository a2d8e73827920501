// Open the queue of a command line
export { openedQueue, queueChoice, savedQueue } from "./commands/queue-choice.ts";
export type { OpenedQueue, QueueChoice } from "./commands/queue-choice.ts";

// Play runs whose plans workers read
export { formatPlan, sharedEnvironment } from "./commands/queued-plan.ts";
export type { PlaySettings, SharedEnvironment } from "./commands/queued-plan.ts";
export { playThroughQueue } from "./commands/queued-evaluation.ts";
export type { QueuedRolloutsPlay } from "./commands/queued-evaluation.ts";
export type { LoadPolicy, QueuedPolicy } from "./commands/queued-policy.ts";

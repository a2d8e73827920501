export { leaseServer } from "./http/lease-server.ts";
export type { LeaseServerOptions, MetricsText } from "./http/lease-server.ts";
export { addToken, tokenFile } from "./http/tokens.ts";
export type { HostOf } from "./http/tokens.ts";
export { queueMetrics } from "./metrics/queue-metrics.ts";
export { workerMetrics } from "./metrics/worker-metrics.ts";
export type { WorkerMetrics } from "./metrics/worker-metrics.ts";

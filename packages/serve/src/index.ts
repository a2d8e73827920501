export { serve } from "./server.ts";
export type { EnvironmentServer, ServeOptions } from "./server.ts";
export type { HostedEnvironment } from "./host/inline-host.ts";
export type { EnvironmentReference } from "./host/reference.ts";
export type { Servable } from "./host/start-hosts.ts";
export { nemoRows } from "./nemo/rows.ts";
export type { NemoRow, NemoRowsOptions } from "./nemo/rows.ts";
export { servedTools } from "./served-tools.ts";
export type { ServedTools } from "./served-tools.ts";

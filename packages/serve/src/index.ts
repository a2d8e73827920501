export { serve } from "./server.ts";
export type { EnvironmentServer, ServeOptions } from "./server.ts";
export type { HostedEnvironment } from "./host/inline-host.ts";

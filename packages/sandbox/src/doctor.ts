export { diagnose } from "./doctor/diagnose.ts";
export type { Diagnosis } from "./doctor/diagnose.ts";
export { cachesOf } from "./doctor/caches.ts";
export type { CacheEntry } from "./doctor/caches.ts";
export { sandboxServices } from "./doctor/services.ts";
export type { SandboxService, ServiceLeftover } from "./doctor/services.ts";
export { sandboxProcesses } from "./doctor/processes.ts";
export type { SandboxProcess } from "./doctor/processes.ts";
export { providers } from "./providers.ts";

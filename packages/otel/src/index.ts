export { openTelemetry, telemetryFromVariables } from "./telemetry.ts";
export type { Telemetry, TelemetryOptions, TelemetryReport } from "./telemetry.ts";

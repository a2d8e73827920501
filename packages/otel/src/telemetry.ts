import { ConfigError, type Rollout, type Sampling } from "@envs/core";
import { OTLPLogExporter } from "@opentelemetry/exporter-logs-otlp-http";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchLogRecordProcessor, LoggerProvider } from "@opentelemetry/sdk-logs";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";

import { countExports } from "./count-exports.ts";
import { recordRollout } from "./record-rollout.ts";

/** The options for exporting rollouts. */
export interface TelemetryOptions {
  /** The OTLP endpoint over HTTP, without `/v1/traces`, such as `http://localhost:4318`. */
  readonly endpoint: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The `service.name`. Default `envs`. */
  readonly serviceName?: string | undefined;
  readonly model: string;
  /** The `gen_ai.provider.name`. Default `envs`, for a server that is not known. */
  readonly provider?: string | undefined;
  readonly sampling?: Sampling | undefined;
  /** Whether messages, tool arguments and explanations of scores are exported. Default false: they may be private. */
  readonly captureContent?: boolean | undefined;
}

/** The result of an export. */
export interface TelemetryReport {
  /** The spans and events that the collector has accepted. */
  readonly exported: number;
  readonly failed: number;
  /** The first error; `undefined` without errors. */
  readonly problem: string | undefined;
}

/** Exports rollouts. A collector that is down never fails a run. */
export interface Telemetry {
  /** Exports a finished rollout, in a batch with others. */
  record(rollout: Rollout): void;
  /** Exports the rest, for at most ten seconds. */
  close(): Promise<TelemetryReport>;
}

const timeoutMillis = 10_000;

/** Exports rollouts as traces, and their scores as events, over OTLP. */
export function openTelemetry(options: TelemetryOptions): Telemetry {
  const { model, provider = "envs", sampling, captureContent = false } = options;
  const endpoint = endpointOf(options.endpoint);
  const headers = { ...options.headers };
  const resource = resourceFromAttributes({ "service.name": options.serviceName ?? "envs" });
  const counts = { exported: 0, failed: 0, problem: undefined as string | undefined };
  const traces = new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, headers, timeoutMillis });
  const logs = new OTLPLogExporter({ url: `${endpoint}/v1/logs`, headers, timeoutMillis });
  const batch = { exportTimeoutMillis: timeoutMillis, maxQueueSize: 100_000 };
  const tracers = new TracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor({ ...batch, exporter: countExports(traces, counts) })],
  });
  const loggers = new LoggerProvider({
    resource,
    processors: [new BatchLogRecordProcessor({ ...batch, exporter: countExports(logs, counts) })],
  });
  const instruments = { tracer: tracers.getTracer("envs"), logger: loggers.getLogger("envs") };
  const run = { model, provider, sampling, capturesContent: captureContent };
  return {
    record: (rollout) => recordRollout(rollout, run, instruments),
    async close() {
      await Promise.allSettled([tracers.shutdown(), loggers.shutdown()]);
      return { ...counts };
    },
  };
}

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The options that OpenTelemetry's own variables set; `undefined`, and no export, without `OTEL_EXPORTER_OTLP_ENDPOINT` or with
 * `OTEL_SDK_DISABLED=true`.
 */
export function telemetryFromVariables(
  variables: Variables,
): Omit<TelemetryOptions, "model"> | undefined {
  const endpoint = variables["OTEL_EXPORTER_OTLP_ENDPOINT"]?.trim() ?? "";
  if (endpoint === "" || variables["OTEL_SDK_DISABLED"] === "true") return undefined;
  const capture = variables["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] ?? "";
  return {
    endpoint,
    headers: headersOf(variables["OTEL_EXPORTER_OTLP_HEADERS"] ?? ""),
    serviceName: variables["OTEL_SERVICE_NAME"],
    captureContent: !["", "false", "no_content"].includes(capture.toLowerCase()),
  };
}

/** `key=value` pairs with commas between them. Values may be percent-encoded. */
function headersOf(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(",").flatMap((pair): [string, string][] => {
    const at = pair.indexOf("=");
    return at < 1 ? [] : [[pair.slice(0, at).trim(), decode(pair.slice(at + 1).trim())]];
  });
  return Object.fromEntries(pairs);
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function endpointOf(text: string): string {
  if (/^https?:$/u.test(URL.parse(text)?.protocol ?? "")) return text.replace(/\/+$/u, "");
  throw new ConfigError(
    `The OTLP endpoint is ${JSON.stringify(text)}. It must be a URL such as http://localhost:4318.`,
  );
}

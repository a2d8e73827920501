import process from "node:process";

import type { Rollout, RolloutEvent, Sampling } from "@envs/core";
import { paint } from "@envs/terminal";

/** Exports the rollouts of a run by OpenTelemetry. */
export interface RolloutExport {
  handle(event: RolloutEvent): void;
  close(): Promise<void>;
}

/**
 * Starts an export if `OTEL_EXPORTER_OTLP_ENDPOINT` is set; `undefined` otherwise. Its package is loaded only then, because it takes a
 * tenth of a second.
 */
export async function exportRollouts(
  { model, sampling }: { readonly model: string; readonly sampling: Sampling },
  note: (text: string) => void,
): Promise<RolloutExport | undefined> {
  if ((process.env["OTEL_EXPORTER_OTLP_ENDPOINT"] ?? "") === "") return undefined;
  const { openTelemetry, telemetryFromVariables } = await import("@envs/otel");
  const options = telemetryFromVariables(process.env);
  if (options === undefined) return undefined;
  const telemetry = openTelemetry({ ...options, model, sampling });
  const record = (rollout: Rollout): void => {
    const isCancelled = rollout.status === "failed" && rollout.error.code === "cancelled";
    if (!isCancelled) telemetry.record(rollout);
  };
  return {
    handle(event) {
      if (event.type === "finish") record(event.rollout);
    },
    async close() {
      const { failed, problem } = await telemetry.close();
      if (failed > 0)
        note(
          paint(
            "yellow",
            `${failed} spans and events were not exported to ${options.endpoint}: ${problem}. The run is saved completely.`,
          ),
        );
    },
  };
}

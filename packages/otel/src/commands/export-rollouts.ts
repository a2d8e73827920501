import process from "node:process";

import { paint } from "@envs/cli/kit";
import type { ExportRollouts } from "@envs/cli/kit/runs";
import type { Rollout } from "@envs/core";

import { openTelemetry, telemetryFromVariables } from "../telemetry.ts";

/** Starts an export to the endpoint that the variables of OpenTelemetry name. */
export const exportRollouts: ExportRollouts = async ({ model, sampling }, note) => {
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
};

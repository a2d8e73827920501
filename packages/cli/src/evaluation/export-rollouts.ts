import type { RolloutEvent, Sampling } from "@envs/core";

import { importIfInstalled } from "../packages/import-package.ts";
import { ownScope } from "../terminal/own-scope.ts";
import { paint } from "../terminal/text.ts";

/** Exports the rollouts of a run by OpenTelemetry. */
export interface RolloutExport {
  handle(event: RolloutEvent): void;
  close(): Promise<void>;
}

/** Starts an export of the rollouts of a run; returns `undefined` if it is turned off. */
export type ExportRollouts = (
  run: { readonly model: string; readonly sampling: Sampling },
  note: (text: string) => void,
) => Promise<RolloutExport | undefined>;

/** Exports rollouts if `OTEL_EXPORTER_OTLP_ENDPOINT` is set. The package is loaded only then, because it takes a tenth of a second. */
export const exportRollouts: ExportRollouts = async (run, note) => {
  if ((process.env["OTEL_EXPORTER_OTLP_ENDPOINT"] ?? "") === "") return undefined;
  const otel = await importIfInstalled<{ readonly exportRollouts: ExportRollouts }>(
    "otel/commands",
  );
  if (otel !== undefined) return await otel.exportRollouts(run, note);
  note(
    paint(
      "yellow",
      `OTEL_EXPORTER_OTLP_ENDPOINT is set, but ${ownScope}/otel is not installed, so no rollout is exported.`,
    ),
  );
  return undefined;
};

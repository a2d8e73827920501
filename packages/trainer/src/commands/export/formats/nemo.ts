import { importPackage } from "@envs/cli/kit";
import type * as Serve from "@envs/serve";

import { type ExportResult, toJsonLines } from "../export-files.ts";
import { serveCommand, type TrainingSource } from "../training-source.ts";

/** Exports the examples as a NeMo Gym dataset. */
export async function nemo(source: TrainingSource): Promise<ExportResult> {
  const { environment, split, count, seed, seat } = source;
  const { nemoRows } = await importPackage<typeof Serve>("serve", "This format");
  const rows = await Array.fromAsync(nemoRows(environment, { split, count, seed, seat }));
  return {
    files: [{ path: `${environment.name}.jsonl`, text: toJsonLines(rows) }],
    notes: [`Serve the same examples: ${serveCommand(source)}`],
  };
}

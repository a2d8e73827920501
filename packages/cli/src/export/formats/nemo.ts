import { nemoRows } from "@envs/serve";

import { collect, type Exported, jsonLines, serveCommand, type TrainingSource } from "../format.ts";

/** The examples as a dataset of NeMo Gym. */
export async function nemo(source: TrainingSource): Promise<Exported> {
  const { environment, split, count, seed } = source;
  const rows = await collect(nemoRows(environment, { split, count, seed }));
  return {
    files: [{ path: `${environment.name}.jsonl`, text: jsonLines(rows) }],
    notes: [`The server must know these examples: ${serveCommand(source)}`],
  };
}

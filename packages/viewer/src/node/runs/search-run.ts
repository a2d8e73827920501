import { searchRecord } from "../../record/search.ts";
import type { SearchMatch } from "../../run/run.ts";
import { readLines } from "../json-lines.ts";
import type { RunReader } from "./run-reader.ts";

/** Finds the messages of a run that contain a text, one after another, in the order of its file. */
export async function* searchRun(
  reader: RunReader,
  text: string,
  signal: AbortSignal,
): AsyncGenerator<SearchMatch> {
  const query = text.toLowerCase();
  if (query === "") return;
  if (reader.linesPath === undefined) {
    for (const row of reader.rows) {
      if (signal.aborted) return;
      yield* searchRecord(await reader.readRecord(row).catch(() => ""), [row], query);
    }
    return;
  }
  const rows = Map.groupBy(reader.rows, ({ range }) => range?.[0] ?? -1);
  // Reads the file once from its start, instead of one range for each rollout.
  for await (const lines of readLines(reader.linesPath, 0)) {
    if (signal.aborted) return;
    for (const line of lines)
      yield* searchRecord(line.text ?? "", rows.get(line.offset) ?? [], query);
  }
}

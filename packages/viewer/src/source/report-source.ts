import { shownType } from "../record/media.ts";
import { searchRecord } from "../record/search.ts";
import type { RolloutRow } from "../run/run.ts";
import { browserNotes } from "./browser-notes.ts";
import {
  blockElement,
  indexElement,
  mediaElement,
  type ReportIndex,
  type ReportRun,
} from "./report-data.ts";
import type { RunSource } from "./run-source.ts";

/** Blocks that stay decoded: the reader moves between neighbours. */
const maxDecodedBlocks = 8;

/** Reads runs from the page itself, which `envs run report` wrote. Throws if the page is not a report. */
export async function reportSource(page: Document): Promise<RunSource> {
  const { runs } = JSON.parse(await decodeBlock(page, indexElement)) as ReportIndex;
  const notes = browserNotes(new Map(runs.map((run) => [run.head.id, run.notes])));
  const blocks = new Map<number, Promise<readonly string[]>>();

  function find(id: string): ReportRun {
    const run = runs.find(({ head }) => head.id === id);
    if (run === undefined) throw new Error(`The report does not contain the run ${id}.`);
    return run;
  }

  function readBlock(block: number): Promise<readonly string[]> {
    const known = blocks.get(block);
    const records =
      known ?? decodeBlock(page, blockElement(block)).then((text) => text.split("\n"));
    blocks.delete(block);
    blocks.set(block, records);
    if (blocks.size > maxDecodedBlocks) blocks.delete(blocks.keys().next().value!);
    return records;
  }

  async function recordOf(run: ReportRun, row: RolloutRow): Promise<string> {
    const [block, position] = run.places[run.rows.findIndex(({ id }) => id === row.id)] ?? [-1, 0];
    return (await readBlock(block))[position] ?? "";
  }

  return {
    notesPlace: notes.place,
    listRuns: async () => runs.map(({ head }) => head),
    async openRun(id, { onMessage }) {
      const { head, rows, curves } = find(id);
      onMessage({ type: "head", head });
      onMessage({ type: "rows", rows });
      if (curves.length > 0) onMessage({ type: "curves", points: curves });
      onMessage({ type: "ready" });
    },
    readRecord: (id, row) => recordOf(find(id), row),
    async *search(id, { text }, signal) {
      const query = text.toLowerCase();
      const run = find(id);
      for (const row of run.rows) {
        if (signal.aborted) return;
        yield* searchRecord(await recordOf(run, row), [row], query);
      }
    },
    async mediaAddress(_run, file) {
      const base64 = page.getElementById(mediaElement(file))?.textContent;
      if (base64 === undefined || base64 === null) return undefined;
      return `data:${shownType(file) ?? "application/octet-stream"};base64,${base64}`;
    },
    readVocabulary: async (id) => find(id).vocabulary,
    readNotes: (run) => notes.read("", run),
    writeNote: (run, note) => notes.write("", run, note),
  };
}

/** Decodes a block: base64 of gzip of text. */
async function decodeBlock(page: Document, id: string): Promise<string> {
  const text = page.getElementById(id)?.textContent;
  if (text === undefined || text === null)
    throw new Error(`The report is cut: its block ${id} is missing.`);
  const bytes = Uint8Array.from(atob(text.trim()), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return await new Response(stream).text();
}

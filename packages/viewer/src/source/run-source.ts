import type { Note, RolloutRow, RunEntry, RunMessage, SearchMatch } from "../run/run.ts";

/** The source from which the viewer reads runs: a server, or the report's own file. */
export interface RunSource {
  /** A sentence for the reader that states where notes are stored. */
  readonly notesPlace: string;
  /** The runs that can be opened. The first is opened unless the address names another. */
  listRuns(signal: AbortSignal): Promise<readonly RunEntry[]>;
  /** Sends the present data of a run, then its changes until the run is complete or the signal aborts. */
  openRun(
    run: string,
    options: { readonly signal: AbortSignal; readonly onMessage: (message: RunMessage) => void },
  ): Promise<void>;
  /** Reads the record of a rollout as JSON text, as it is stored. */
  readRecord(run: string, row: RolloutRow, signal: AbortSignal): Promise<string>;
  /** Finds the messages that contain a text. Upper and lower case are equal. */
  search(
    run: string,
    query: { readonly text: string },
    signal: AbortSignal,
  ): AsyncIterable<SearchMatch>;
  /** The address from which the page shows a file of the run; `undefined` if the source does not have it. */
  mediaAddress(run: string, file: string): Promise<string | undefined>;
  readNotes(run: string): Promise<readonly Note[]>;
  /** Replaces the note on a rollout. An empty text removes it. */
  writeNote(run: string, note: Note): Promise<void>;
  /** The texts of the model's tokens by id; empty if the source does not know them. */
  readVocabulary(run: string, signal: AbortSignal): Promise<readonly string[]>;
}

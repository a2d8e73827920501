import type { Note } from "../run/run.ts";
import type { NotesStore } from "./http-source.ts";

/** Notes in this browser's storage. `initial` are notes that the page itself contains. */
export function browserNotes(
  initial: ReadonlyMap<string, readonly Note[]> = new Map(),
): NotesStore {
  const memory = new Map<string, readonly Note[]>(initial);
  const name = (run: string): string => `envs-viewer-notes ${run}`;

  function read(run: string): readonly Note[] {
    try {
      const stored = localStorage.getItem(name(run));
      if (stored !== null) return JSON.parse(stored) as readonly Note[];
    } catch {
      // Browsers refuse storage to some pages, such as files in private windows.
    }
    return memory.get(run) ?? [];
  }

  return {
    place: "Notes are kept in this browser only.",
    read: (_address, run) => Promise.resolve(read(run)),
    async write(_address, run, note) {
      const others = read(run).filter(({ id }) => id !== note.id);
      const notes = note.text.trim() === "" ? others : [...others, note];
      memory.set(run, notes);
      try {
        localStorage.setItem(name(run), JSON.stringify(notes));
      } catch {
        // Keeps the note in memory, as long as the page is open.
      }
    },
  };
}

import type { Note, RunEntry, RunMessage, SearchMatch } from "../run/run.ts";
import { jsonLines } from "./json-lines.ts";
import type { RunSource } from "./run-source.ts";

const reconnectMs = 1000;

/** Reads runs from the data routes of a server. `base` is their address without a slash at its end. */
export function httpSource(base: string, notes: NotesStore): RunSource {
  const address = (run: string, rest: string): string =>
    `${base}/runs/${encodeURIComponent(run)}/${rest}`;

  return {
    notesPlace: notes.place,
    readNotes: (run) => notes.read(address(run, "notes"), run),
    writeNote: (run, note) =>
      notes.write(address(run, `notes/${encodeURIComponent(note.id)}`), run, note),

    listRuns: async (signal) =>
      (await (await request(`${base}/runs`, { signal })).json()) as readonly RunEntry[],

    async openRun(run, { signal, onMessage }) {
      let isComplete = false;
      for (let attempt = 0; !isComplete && !signal.aborted; attempt += 1) {
        try {
          const response = await request(address(run, "events"), { signal });
          if (attempt > 0) onMessage({ type: "reset" });
          for await (const value of jsonLines(response)) {
            const message = value as RunMessage;
            if (message.type === "head") ({ isComplete } = message.head);
            onMessage(message);
          }
          return;
        } catch (error) {
          // Reconnects after a restart of the server or a sleep of the machine, because the run may continue.
          if (signal.aborted || attempt === 0 || error instanceof RequestError) throw error;
        }
        await new Promise((resolve) => setTimeout(resolve, reconnectMs));
      }
    },

    async readRecord(run, { id, range }, signal) {
      if (range === undefined)
        return (
          await request(address(run, `records/${encodeURIComponent(id)}`), { signal })
        ).text();
      const [offset, length] = range;
      const headers = { range: `bytes=${offset}-${offset + length - 1}` };
      return (await request(address(run, "lines"), { signal, headers })).text();
    },

    mediaAddress: async (run, file) => address(run, `media/${file}`),

    readVocabulary: async (run, signal) =>
      (await (await request(address(run, "vocabulary"), { signal })).json()) as readonly string[],

    async *search(run, { text }, signal) {
      const query = new URLSearchParams({ text });
      const response = await request(`${address(run, "search")}?${query}`, { signal });
      for await (const value of jsonLines(response)) yield value as SearchMatch;
    },
  };
}

/** The store of notes: on the server, or in the browser. */
export interface NotesStore {
  readonly place: string;
  read(address: string, run: string): Promise<readonly Note[]>;
  write(address: string, run: string, note: Note): Promise<void>;
}

/** Notes of a server that stores them beside the run. */
export const serverNotes: NotesStore = {
  place: "Notes are saved beside the run, in notes.json.",
  read: async (address) => (await (await request(address, {})).json()) as readonly Note[],
  async write(address, _run, { text }) {
    await request(address, { method: "PUT", body: JSON.stringify({ text }) });
  },
};

class RequestError extends Error {
  override readonly name = "RequestError";
}

async function request(address: string, init: RequestInit): Promise<Response> {
  const response = await fetch(address, init);
  if (response.ok) return response;
  const text = (await response.text()).slice(0, 500).trim();
  throw new RequestError(text === "" ? `The server responded with ${response.status}.` : text);
}

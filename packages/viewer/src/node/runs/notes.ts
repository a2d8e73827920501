import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";

import { fieldsOf, listOf, textOf } from "@envs/records";
import { replaceFile } from "@envs/records/node";

import type { Note } from "../../run/run.ts";
import type { RunReader } from "./run-reader.ts";

const maxLength = 20_000;

/** The file with the notes on a run: `notes.json` in its folder, or `<log>.notes.json` beside a log. */
async function notesPath({ path }: RunReader): Promise<string> {
  const isFolder = (await stat(path)).isDirectory();
  return isFolder ? join(path, "notes.json") : `${path}.notes.json`;
}

export async function readNotes(reader: RunReader): Promise<readonly Note[]> {
  const text = await readFile(await notesPath(reader), "utf8").catch(() => "[]");
  try {
    return listOf(JSON.parse(text)).flatMap((note) => {
      const fields = fieldsOf(note);
      const id = textOf(fields["id"]);
      const content = textOf(fields["text"]);
      return id === undefined || content === undefined ? [] : [{ id, text: content }];
    });
  } catch {
    return [];
  }
}

const writes = new Map<string, Promise<unknown>>();

/** Replaces the note on a rollout. An empty text removes it. */
export function writeNote(reader: RunReader, { id, text }: Note): Promise<void> {
  const before = writes.get(reader.id) ?? Promise.resolve();
  const write = before.then(async () => {
    const path = await notesPath(reader);
    const others = (await readNotes(reader)).filter((note) => note.id !== id);
    const notes = text.trim() === "" ? others : [...others, { id, text: text.slice(0, maxLength) }];
    await replaceFile(path, `${JSON.stringify(notes, undefined, 2)}\n`);
  });
  writes.set(
    reader.id,
    write.catch(() => {}),
  );
  return write;
}

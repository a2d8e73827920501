import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { readNotes, writeNote } from "../src/node/runs/notes.ts";
import type { RunReader } from "../src/node/runs/run-reader.ts";

test("keeps notes on several logs of a folder separate when they are written at once", async () => {
  const folder = await mkdtemp(join(tmpdir(), "envs-notes-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const logs = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const path = join(folder, `${index}.eval`);
      await writeFile(path, "");
      return { id: String(index), path } as RunReader;
    }),
  );
  await Promise.all(logs.map((log) => writeNote(log, { id: "0-0", text: `on log ${log.id}` })));
  const notes = await Promise.all(logs.map(readNotes));
  expect(notes.flat().map(({ text }) => text)).toEqual(logs.map(({ id }) => `on log ${id}`));
  expect(await readdir(folder)).toHaveLength(2 * logs.length);
});

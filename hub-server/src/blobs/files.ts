import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { access, mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";

import { type BlobStore, checkKey } from "./blob-store.ts";

/** Blobs as files, two levels deep: `ab/abcdef…`. */
export async function fileBlobs(folder: string): Promise<BlobStore> {
  const incoming = join(folder, "incoming");
  await mkdir(incoming, { recursive: true });
  await sweep(incoming);
  const place = (key: string): string => join(folder, checkKey(key).slice(0, 2), key);
  const has = (key: string): Promise<boolean> =>
    access(place(key)).then(
      () => true,
      () => false,
    );
  return {
    has,
    async put(key, bytes) {
      if (await has(key)) return;
      const temporary = join(incoming, randomUUID());
      const file = await open(temporary, "wx");
      try {
        await file.writeFile(bytes);
        await file.datasync();
      } finally {
        await file.close();
      }
      await mkdir(join(folder, key.slice(0, 2)), { recursive: true });
      await rename(temporary, place(key));
    },
    get: (key) => readFile(place(key)).catch(ifAbsent),
    async stream(key) {
      const found = await stat(place(key)).catch(ifAbsent);
      return found && { size: found.size, body: createReadStream(place(key)) };
    },
    delete: (key) => rm(place(key), { force: true }),
    async *list() {
      for (const entry of await readdir(folder, { withFileTypes: true }))
        if (entry.isDirectory() && entry.name !== "incoming")
          yield* await readdir(join(folder, entry.name));
    },
    check: () => access(incoming),
  };
}

/** What a process was writing when it died. Another one may be writing now, so young files stay. */
async function sweep(incoming: string): Promise<void> {
  const hour = 3_600_000;
  for (const name of await readdir(incoming)) {
    const file = join(incoming, name);
    const { mtimeMs } = (await stat(file).catch(ifAbsent)) ?? { mtimeMs: Infinity };
    if (Date.now() - mtimeMs > hour) await rm(file, { force: true });
  }
}

function ifAbsent(error: unknown): undefined {
  if ((error as { code?: string }).code !== "ENOENT") throw error;
  return undefined;
}

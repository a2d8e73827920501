import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { access, opendir, readFile, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

import { makeFolder, renameDurably, syncFolder, writeFileDurably } from "../files/durable.ts";
import { type BlobStore, type BlobTotals, checkKey, isKey, type StoredBlob } from "./blob-store.ts";

/** Blobs as files, two levels deep: `ab/abcdef…`. Corrupt ones move to `quarantine`. */
export async function fileBlobs(folder: string): Promise<BlobStore> {
  const incoming = join(folder, "incoming");
  const quarantine = join(folder, "quarantine");
  await makeFolder(incoming);
  const pathOf = (key: string): string => join(folder, checkKey(key).slice(0, 2), key);
  const has = (key: string): Promise<boolean> =>
    access(pathOf(key)).then(
      () => true,
      () => false,
    );
  const newFile = (): string => join(incoming, randomUUID());
  const putFile = async (key: string, file: string): Promise<void> => {
    await makeFolder(dirname(pathOf(key)));
    await renameDurably(file, pathOf(key));
  };
  return {
    has,
    newFile,
    putFile,
    async put(key, bytes) {
      const path = pathOf(key);
      // A process that ended after it had renamed the file may not have synced the folder.
      if ((await sizeOf(path)) === bytes.byteLength) return await syncFolder(dirname(path));
      const temporary = newFile();
      try {
        await writeFileDurably(temporary, bytes);
        await putFile(key, temporary);
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
    },
    get: (key) => readFile(pathOf(key)).catch(ifAbsent),
    async stream(key, range) {
      const stats = await stat(pathOf(key)).catch(ifAbsent);
      const size = range === undefined ? stats?.size : range.end - range.start + 1;
      return stats && { size: size ?? 0, body: createReadStream(pathOf(key), range) };
    },
    delete: (key) => rm(pathOf(key), { force: true }),
    async quarantine(key) {
      await makeFolder(quarantine);
      await renameDurably(pathOf(key), join(quarantine, `${key}.corrupt`)).catch(ifAbsent);
    },
    async *list() {
      for await (const entry of await opendir(folder))
        if (entry.isDirectory() && entry.name !== "incoming")
          yield* blobsIn(join(folder, entry.name));
    },
    dropUnfinished: (options) => dropOld(incoming, options),
    check: () => access(incoming),
  };
}

async function sizeOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.size;
}

async function* blobsIn(folder: string): AsyncGenerator<StoredBlob> {
  for await (const { name } of await opendir(folder)) {
    const stats = isKey(name) ? await stat(join(folder, name)).catch(ifAbsent) : undefined;
    if (stats !== undefined) yield { key: name, size: stats.size, writtenAt: stats.mtime };
  }
}

async function dropOld(
  folder: string,
  { before, isDry = false }: Parameters<BlobStore["dropUnfinished"]>[0],
): Promise<BlobTotals> {
  const dropped = { count: 0, bytes: 0 };
  for await (const { name } of await opendir(folder)) {
    const file = join(folder, name);
    const stats = await stat(file).catch(ifAbsent);
    if (stats === undefined || stats.mtime >= before) continue;
    if (!isDry) await rm(file, { force: true });
    dropped.count += 1;
    dropped.bytes += stats.size;
  }
  return dropped;
}

function ifAbsent(error: unknown): undefined {
  if ((error as { code?: string }).code !== "ENOENT") throw error;
  return undefined;
}

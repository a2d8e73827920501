import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";

import { Parser } from "tar";
import { extract } from "tar-stream";

/** Contents of files by path. */
export type ArchiveFiles = Readonly<Record<string, string>>;

/** Reads a tarball with tar-stream, as Yarn does. */
export async function readWithTarStream(tarball: Uint8Array): Promise<ArchiveFiles> {
  const reader = extract();
  reader.end(gunzipSync(tarball));
  const files: Record<string, string> = {};
  for await (const entry of reader) {
    const content = (await buffer(entry)).toString("latin1");
    if (entry.header.type !== "directory") files[entry.header.name] = content;
  }
  return files;
}

/** Reads a tarball with node-tar, as npm does. */
export async function readWithNodeTar(tarball: Uint8Array): Promise<ArchiveFiles> {
  const files: Record<string, string> = {};
  const reading: Promise<void>[] = [];
  await new Promise<void>((resolve, reject) => {
    const parser = new Parser({
      strict: true,
      onReadEntry: (entry) => {
        const read = async (): Promise<void> => {
          const content = (await entry.concat()).toString("latin1");
          if (entry.type !== "Directory") files[entry.path] = content;
        };
        reading.push(read());
      },
    });
    parser.on("end", resolve);
    parser.on("error", reject);
    parser.end(Buffer.from(tarball));
  });
  await Promise.all(reading);
  return files;
}

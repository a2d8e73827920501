import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";

import { Parser } from "tar";
import { extract } from "tar-stream";

/** The files that a reader of archives finds, by path. */
export type ArchiveFiles = Readonly<Record<string, string>>;

/** What tar-stream finds, with which Yarn unpacks. */
export async function readWithTarStream(tarball: Uint8Array): Promise<ArchiveFiles> {
  const reader = extract();
  reader.end(gunzipSync(tarball));
  const found: Record<string, string> = {};
  for await (const entry of reader) {
    const content = (await buffer(entry)).toString("latin1");
    if (entry.header.type !== "directory") found[entry.header.name] = content;
  }
  return found;
}

/** What node-tar finds, with which npm unpacks. */
export async function readWithNodeTar(tarball: Uint8Array): Promise<ArchiveFiles> {
  const found: Record<string, string> = {};
  const reading: Promise<void>[] = [];
  await new Promise<void>((resolve, reject) => {
    const parser = new Parser({
      strict: true,
      onReadEntry: (entry) => {
        const read = async (): Promise<void> => {
          const content = (await entry.concat()).toString("latin1");
          if (entry.type !== "Directory") found[entry.path] = content;
        };
        reading.push(read());
      },
    });
    parser.on("end", resolve);
    parser.on("error", reject);
    parser.end(Buffer.from(tarball));
  });
  await Promise.all(reading);
  return found;
}

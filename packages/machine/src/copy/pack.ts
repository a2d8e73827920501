import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Readable } from "node:stream";

import tarFs from "tar-fs";
import { pack } from "tar-stream";

/** An archive of a file under another name, or of the content of a folder, below `prefix`. Its entries belong to root. */
export async function packPath(
  source: string,
  name: string,
  prefix = "",
): Promise<{ readonly isFolder: boolean; readonly archive: Readable }> {
  const isFolder = (await stat(source)).isDirectory();
  const own = { uid: 0, gid: 0, uname: "", gname: "" };
  const archive = isFolder
    ? tarFs.pack(source, {
        map: (header) => ({ ...header, ...own, name: join(prefix, header.name) }),
      })
    : tarFs.pack(dirname(source), {
        entries: [basename(source)],
        dereference: true,
        map: (header) => ({ ...header, ...own, name }),
      });
  return { isFolder, archive: archive as unknown as Readable };
}

/** An archive with one file. */
export function packFile(name: string, content: string | Uint8Array, mode = 0o644): Readable {
  const archive = pack();
  archive.entry({ name, mode }, Buffer.from(content as string));
  archive.finalize();
  return archive as unknown as Readable;
}

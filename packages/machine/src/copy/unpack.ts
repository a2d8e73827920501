import { createWriteStream } from "node:fs";
import { copyFile, lstat, mkdir, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

import { extract, type Header } from "tar-stream";

import type { CopyOutResult, RefusedPath } from "../machine.ts";
import { innerPath, staysInside } from "./paths.ts";

/**
 * Writes an archive that an agent may have made into a folder. No entry is written through a link: links come last, and only those
 * that cannot leave the folder. Permissions are those of the owner without setuid.
 */
export async function unpackInto(
  archive: Readable,
  target: string,
  maxBytes: number,
): Promise<CopyOutResult> {
  await mkdir(target, { recursive: true });
  const files = new Set<string>();
  const links: (readonly [path: string, linkname: string])[] = [];
  const refused: RefusedPath[] = [];
  let bytes = 0;
  const entries = extract();
  archive.on("error", (error) => entries.destroy(error));
  archive.pipe(entries);
  try {
    for await (const entry of entries) {
      const { header } = entry;
      const path = innerPath(header.name, header.type === "directory");
      const reason = await refusal(header, path, target);
      if (reason !== undefined || path === undefined) {
        refused.push({ path: header.name, reason: reason ?? "its path leads outside" });
        entry.resume();
        continue;
      }
      const place = join(target, path);
      if (header.type === "directory") await mkdir(place, { recursive: true });
      else await mkdir(dirname(place), { recursive: true });
      if (header.type === "symlink") links.push([path, header.linkname ?? ""]);
      else if (header.type === "link") {
        const source = innerPath(header.linkname ?? "", false);
        if (source !== undefined && files.has(source)) {
          await copyFile(join(target, source), place);
          files.add(path);
        } else refused.push({ path, reason: `a hard link to ${header.linkname}` });
      } else if (header.type !== "directory") {
        bytes += header.size ?? 0;
        if (bytes > maxBytes) throw new Error(tooLarge(maxBytes));
        const mode = (header.mode ?? 0o644) & 0o111 ? 0o755 : 0o644;
        await pipeline(entry, createWriteStream(place, { mode }));
        files.add(path);
      }
      entry.resume();
    }
  } finally {
    archive.destroy();
  }
  for (const [path, linkname] of links) {
    if (!staysInside(path, linkname))
      refused.push({ path, reason: `a link to ${linkname}, which may lead outside` });
    else if (await exists(join(target, path))) refused.push({ path, reason: "it exists twice" });
    else {
      await symlink(linkname, join(target, path));
      files.add(path);
    }
  }
  return { files: [...files].toSorted(), refused };
}

const kinds = new Set(["file", "contiguous-file", "directory", "symlink", "link"]);

async function refusal(
  { type }: Header,
  path: string | undefined,
  target: string,
): Promise<string | undefined> {
  if (path === undefined) return "its path leads outside";
  if (!kinds.has(type ?? "file")) return `a ${type}, which is not a file`;
  // A link that was here before the archive.
  for (let folder = path; folder !== "."; folder = dirname(folder)) {
    const stats = await lstat(join(target, folder)).catch(() => undefined);
    if (stats?.isSymbolicLink() === true) return "its path has a link of the target";
    if (folder === path && type === "directory" && stats !== undefined && !stats.isDirectory())
      return "it exists twice";
    if (folder !== path && stats !== undefined && !stats.isDirectory())
      return `${folder} is not a folder`;
  }
  return undefined;
}

function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

function tooLarge(maxBytes: number): string {
  return `The files have more than ${maxBytes} bytes. Raise maxBytes, or copy less.`;
}

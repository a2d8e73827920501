import { quoted, refusal } from "../../platform/errors/refusal.ts";
import { blockLength, hasTarget, tarHeader, type TarHeader } from "./header.ts";
import { type PaxRecords, paxRecords } from "./pax.ts";

/** A file or folder of an archive, its content still in the archive's memory. */
export interface TarEntry {
  /** The bytes of the path as the archive has it. */
  readonly path: Buffer;
  readonly isFolder: boolean;
  readonly mode: number;
  readonly content: Buffer<ArrayBuffer>;
}

/** Longer than any path with its records. */
const longestExtension = 64 * 1024;

const linkKinds = new Set(["1", "2", "K"]);
const specialKinds = new Set(["3", "4", "6"]);

/**
 * The entries of a tar archive in memory, in the part of the format that all clients read alike. Libraries take what
 * they can make sense of, and differ in it: a `path` for all entries, a `type` in an extended header, a folder with
 * content, what follows the end. Whoever can make the hub see other files than a client has won, so all of it is refused.
 */
export function* tarEntries(archive: Buffer<ArrayBuffer>): Generator<TarEntry, void> {
  let offset = 0;
  let extension: PaxRecords | undefined;
  for (;;) {
    const block = archive.subarray(offset, offset + blockLength);
    if (block.length < blockLength) throw truncated();
    offset += blockLength;
    if (isBlank(block)) break;
    const header = tarHeader(block);
    if (hasTarget(block) && !linkKinds.has(header.kind))
      throw unsupported("has a link's target in an entry that is no link");
    const content = archive.subarray(offset, offset + header.size);
    if (content.length < header.size) throw truncated();
    offset += Math.ceil(header.size / blockLength) * blockLength;
    if (header.kind === "x" || header.kind === "L") {
      if (extension !== undefined) throw unsupported("has two extended headers for one entry");
      extension = extensionOf(header, content);
      continue;
    }
    yield entryOf(header, content, extension);
    extension = undefined;
  }
  if (extension !== undefined) throw unsupported("ends with an extended header");
  checkEnd(archive, offset);
}

function extensionOf({ kind, size }: TarHeader, content: Buffer): PaxRecords {
  if (size === 0 || size > longestExtension)
    throw unsupported("has an extended header that is empty, or of great length");
  if (kind === "x") return paxRecords(content);
  return { path: content.at(-1) === 0 ? content.subarray(0, -1) : content };
}

function entryOf(
  header: TarHeader,
  content: Buffer<ArrayBuffer>,
  extension: PaxRecords | undefined,
): TarEntry {
  const { kind, size, mode } = header;
  const path = extension?.path ?? header.path;
  const shown = (): string => quoted(path.toString("utf8"));
  if (linkKinds.has(kind))
    throw refusal("tarball-link", `${shown()} is a link. Put the file itself into the package.`);
  if (specialKinds.has(kind))
    throw refusal(
      "tarball-special-file",
      `${shown()} is a device or a pipe. A package holds files and folders only.`,
    );
  if (kind !== "0" && kind !== "5")
    throw unsupported(`has an entry of the kind ${kind}: ${shown()}`);
  if (extension?.size !== undefined && extension.size !== String(size))
    throw unsupported(`gives two sizes to ${shown()}`);
  const isFolder = kind === "5";
  if (isFolder && size > 0) throw unsupported(`has a folder with content: ${shown()}`);
  if (!isFolder && (mode & 0o6000) !== 0)
    throw refusal(
      "tarball-special-file",
      `${shown()} would run with the rights of its owner (setuid or setgid). Take the bit away with chmod.`,
    );
  return { path, isFolder, mode, content };
}

/** Two blank blocks end an archive; some packers fill up with more. */
function checkEnd(archive: Buffer, offset: number): void {
  const rest = archive.subarray(offset);
  if (rest.length < blockLength || rest.length % blockLength !== 0) throw truncated();
  if (!isBlank(rest))
    throw refusal(
      "tarball-trailing-data",
      "Something follows the end of the archive. Pack the package again with npm pack.",
    );
}

/** All bytes are zero if the first is, and each is as the one before it. */
function isBlank(bytes: Buffer): boolean {
  return bytes[0] === 0 && bytes.subarray(1).equals(bytes.subarray(0, -1));
}

function truncated(): Error {
  return refusal(
    "tarball-truncated",
    "The archive ends in the middle of an entry, or without its end mark. Pack the package again.",
  );
}

function unsupported(what: string): Error {
  return refusal(
    "tarball-unsupported",
    `The archive ${what}. Clients read that in different ways: pack the package with npm pack.`,
  );
}

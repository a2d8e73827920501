import { quoted, refusal } from "../../platform/errors/hub-error.ts";
import { blockLength, hasTarget, tarHeader, type TarHeader } from "./header.ts";
import { type PaxRecords, paxRecords } from "./pax.ts";

/** A file or folder in an archive. */
export interface TarEntry {
  /** Undecoded bytes. */
  readonly path: Buffer;
  readonly isFolder: boolean;
  readonly mode: number;
  /** A view of the archive's memory. */
  readonly content: Buffer<ArrayBuffer>;
}

const maxExtendedHeaderBytes = 64 * 1024;

/** Hard link, symbolic link, and GNU's long link target. */
const linkTypes = new Set(["1", "2", "K"]);
/** Character device, block device, named pipe. */
const specialTypes = new Set(["3", "4", "6"]);

/**
 * Reads a tar archive, and rejects the features that tar libraries interpret differently: global extended headers, a
 * `type` in an extended header, folders with content, data after the end. With such a feature, an attacker could make
 * clients install other files than the hub checked.
 */
export function* tarEntries(archive: Buffer<ArrayBuffer>): Generator<TarEntry, void> {
  let offset = 0;
  let extended: PaxRecords | undefined;
  for (;;) {
    const block = archive.subarray(offset, offset + blockLength);
    if (block.length < blockLength) throw truncated();
    offset += blockLength;
    if (isZero(block)) break;
    const header = tarHeader(block);
    if (hasTarget(block) && !linkTypes.has(header.type))
      throw unsupported("has a link target in an entry that is not a link");
    const content = archive.subarray(offset, offset + header.size);
    if (content.length < header.size) throw truncated();
    offset += Math.ceil(header.size / blockLength) * blockLength;
    if (header.type === "x" || header.type === "L") {
      if (extended !== undefined) throw unsupported("has two extended headers for one entry");
      extended = extendedHeader(header, content);
      continue;
    }
    yield entryOf(header, content, extended);
    extended = undefined;
  }
  if (extended !== undefined) throw unsupported("ends with an extended header");
  checkEnd(archive, offset);
}

function extendedHeader({ type, size }: TarHeader, content: Buffer): PaxRecords {
  if (size === 0 || size > maxExtendedHeaderBytes)
    throw unsupported("has an extended header that is empty or too long");
  if (type === "x") return paxRecords(content);
  return { path: content.at(-1) === 0 ? content.subarray(0, -1) : content };
}

function entryOf(
  header: TarHeader,
  content: Buffer<ArrayBuffer>,
  extended: PaxRecords | undefined,
): TarEntry {
  const { type, size, mode } = header;
  const path = extended?.path ?? header.path;
  const quotedPath = (): string => quoted(path.toString("utf8"));
  if (linkTypes.has(type))
    throw refusal(
      "tarball-link",
      `${quotedPath()} is a link. Put the file itself into the package.`,
    );
  if (specialTypes.has(type))
    throw refusal(
      "tarball-special-file",
      `${quotedPath()} is a device or a pipe. A package can contain files and folders only: remove it.`,
    );
  if (type !== "0" && type !== "5")
    throw unsupported(`has an entry of the type ${type}: ${quotedPath()}`);
  if (extended?.size !== undefined && extended.size !== String(size))
    throw unsupported(`declares two sizes for ${quotedPath()}`);
  const isFolder = type === "5";
  if (isFolder && size > 0) throw unsupported(`has a folder with content: ${quotedPath()}`);
  if (!isFolder && (mode & 0o6000) !== 0)
    throw refusal(
      "tarball-special-file",
      `${quotedPath()} has the setuid or setgid bit. Clear it with chmod.`,
    );
  return { path, isFolder, mode, content };
}

/** Two zero blocks end an archive; some packers pad with more. */
function checkEnd(archive: Buffer, offset: number): void {
  const rest = archive.subarray(offset);
  if (rest.length < blockLength || rest.length % blockLength !== 0) throw truncated();
  if (!isZero(rest))
    throw refusal(
      "tarball-trailing-data",
      "The archive has data after its end. Pack the package again with npm pack.",
    );
}

/** All bytes are zero if the first is, and each equals its predecessor. */
function isZero(bytes: Buffer): boolean {
  return bytes[0] === 0 && bytes.subarray(1).equals(bytes.subarray(0, -1));
}

function truncated(): Error {
  return refusal(
    "tarball-truncated",
    "The archive ends within an entry, or lacks its end mark. Pack the package again with npm pack.",
  );
}

function unsupported(feature: string): Error {
  return refusal(
    "tarball-unsupported",
    `The archive ${feature}, which clients read differently. Pack the package with npm pack.`,
  );
}

import { refusal } from "../../platform/errors/hub-error.ts";

/** The size of a header in bytes; content is padded to a multiple of it. */
export const blockLength = 512;

/** The fields of a tar header that a package needs. */
export interface TarHeader {
  /** Undecoded bytes, including the prefix. */
  readonly path: Buffer;
  readonly mode: number;
  readonly size: number;
  /** tar's `typeflag`, one character: `0` is a file, `5` a folder. */
  readonly type: string;
}

const slash = Buffer.from("/");

/**
 * Reads a header. Rejects headers that clients read differently: formats before ustar, and numbers in base 256.
 */
export function tarHeader(block: Buffer): TarHeader {
  if (octal(block, 148, 8) !== checksum(block))
    throw refusal(
      "tarball-corrupt",
      "The checksum of a header in the archive is wrong. Pack the package again with npm pack.",
    );
  if (unusedNumberOffsets.some((at) => (block[at] ?? 0) >= 0x80)) throw notOctal();
  const magic = block.toString("latin1", 257, 265);
  const isUstar = magic === "ustar\x0000";
  if (!isUstar && magic !== "ustar  \0")
    throw refusal(
      "tarball-unsupported",
      "The archive is neither in the POSIX nor in the GNU format. Pack the package with npm pack.",
    );
  const name = text(block, 0, 100);
  const prefix = isUstar ? text(block, 345, 155) : Buffer.alloc(0);
  return {
    path: prefix.length > 0 ? Buffer.concat([prefix, slash, name]) : name,
    mode: octal(block, 100, 8),
    size: octal(block, 124, 12),
    type: block[156] === 0 ? "0" : block.toString("latin1", 156, 157),
  };
}

/** Offsets of owner, group, time and device. Packages do not need them, but a client may fail on an invalid one. */
const unusedNumberOffsets = [108, 116, 136, 329, 337];

/** Whether an entry names a link target. */
export function hasTarget(block: Buffer): boolean {
  return block.subarray(157, 257).some((byte) => byte !== 0);
}

/** The rest of a field after its first NUL must be zero, because some readers find a second line there. */
function text(block: Buffer, start: number, length: number): Buffer {
  const field = block.subarray(start, start + length);
  const end = field.indexOf(0);
  if (end === -1) return field;
  if (field.subarray(end).some((byte) => byte !== 0))
    throw refusal(
      "tarball-corrupt",
      "A text field in a header of the archive has data after its end. Pack the package with npm pack.",
    );
  return field.subarray(0, end);
}

function octal(block: Buffer, start: number, length: number): number {
  const [, digits] =
    /^ *([0-7]+)[ \0]*$/.exec(block.toString("latin1", start, start + length)) ?? [];
  if (digits !== undefined) return Number.parseInt(digits, 8);
  throw notOctal();
}

/** The sum of all bytes, with spaces in place of the checksum field. */
function checksum(block: Buffer): number {
  let sum = 8 * 0x20;
  for (let at = 0; at < blockLength; at += 1) if (at < 148 || at >= 156) sum += block[at] ?? 0;
  return sum;
}

function notOctal(): Error {
  return refusal(
    "tarball-corrupt",
    "A number in a header of the archive is not octal. Pack the package with npm pack.",
  );
}

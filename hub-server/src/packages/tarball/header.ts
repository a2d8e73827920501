import { refusal } from "../../platform/errors/refusal.ts";

/** The size of a header, and what content is padded to. */
export const blockLength = 512;

/** What a header block of an archive says, as far as a package needs it. */
export interface TarHeader {
  /** The bytes of the path, which may be continued by a prefix. */
  readonly path: Buffer;
  readonly mode: number;
  readonly size: number;
  /** One character: `0` is a file, `5` a folder. */
  readonly kind: string;
}

const slash = Buffer.from("/");

/**
 * Reads a header as every client does, and refuses one that they read in different ways: formats before ustar, numbers
 * in base 256, and a link's target in an entry that is no link.
 */
export function tarHeader(block: Buffer): TarHeader {
  if (octal(block, 148, 8) !== checksum(block))
    throw refusal(
      "tarball-corrupt",
      "The checksum of an entry in the archive is wrong. Pack the package again.",
    );
  if (unusedNumbers.some((at) => (block[at] ?? 0) >= 0x80)) throw notOctal();
  const magic = block.toString("latin1", 257, 265);
  const isUstar = magic === "ustar\x0000";
  if (!isUstar && magic !== "ustar  \0")
    throw refusal(
      "tarball-unsupported",
      "The archive is of neither the POSIX nor the GNU kind. Pack the package with npm pack.",
    );
  const name = text(block, 0, 100);
  const prefix = isUstar ? text(block, 345, 155) : Buffer.alloc(0);
  return {
    path: prefix.length > 0 ? Buffer.concat([prefix, slash, name]) : name,
    mode: octal(block, 100, 8),
    size: octal(block, 124, 12),
    kind: block[156] === 0 ? "0" : block.toString("latin1", 156, 157),
  };
}

/** Owner, group, time and device mean nothing in a package, but a client may stumble over one out of its range. */
const unusedNumbers = [108, 116, 136, 329, 337];

/** Whether an entry names a target, which only links have. */
export function hasTarget(block: Buffer): boolean {
  return block.subarray(157, 257).some((byte) => byte !== 0);
}

/** What follows the end of a text must be blank: there are readers that find a second line there. */
function text(block: Buffer, start: number, length: number): Buffer {
  const field = block.subarray(start, start + length);
  const end = field.indexOf(0);
  if (end === -1) return field;
  if (field.subarray(end).some((byte) => byte !== 0))
    throw refusal(
      "tarball-corrupt",
      "A text in a header of the archive goes on after its end. Pack the package with npm pack.",
    );
  return field.subarray(0, end);
}

function octal(block: Buffer, start: number, length: number): number {
  const [, digits] =
    /^ *([0-7]+)[ \0]*$/.exec(block.toString("latin1", start, start + length)) ?? [];
  if (digits !== undefined) return Number.parseInt(digits, 8);
  throw notOctal();
}

/** The sum of all bytes, with blanks where the sum itself is written. */
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

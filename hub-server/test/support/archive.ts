import { gzipSync } from "node:zlib";

/** An entry of a tar archive, valid or not. */
export interface RawEntry {
  readonly path: string | Buffer;
  readonly content?: string | Buffer;
  /** The type flag, one character: `0` is a file, `5` a folder. */
  readonly kind?: string;
  readonly mode?: number;
  readonly target?: string;
  readonly prefix?: string;
  readonly magic?: string;
  /** The size field in octal. Default: the content's length. */
  readonly size?: string;
  /** Changes the header before its checksum is written. */
  readonly editHeader?: (header: Buffer) => void;
}

/** The two zero blocks at the end of a tar archive. */
export const endOfArchive: Buffer = Buffer.alloc(1024);

/** Writes a tar archive byte for byte: tar libraries refuse to write most of the archives that the hub must reject. */
export function archive(entries: readonly RawEntry[], end: Buffer = endOfArchive): Buffer {
  return Buffer.concat([...entries.flatMap((entry) => [header(entry), padded(entry)]), end]);
}

/** Writes the checksum into a header. */
export function sign(block: Buffer): Buffer {
  block.fill(" ", 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return block;
}

/** An extended header of these records. */
export function pax(records: readonly (readonly [key: string, value: string])[]): RawEntry {
  const lines = records.map(([key, value]) => {
    const rest = Buffer.byteLength(` ${key}=${value}\n`);
    let length = rest + 1;
    while (String(length).length + rest !== length) length += 1;
    return `${length} ${key}=${value}\n`;
  });
  return { path: "PaxHeader", kind: "x", content: lines.join("") };
}

/** A minimal `package.json` with these additional fields. */
export function packageJson(fields: Readonly<Record<string, unknown>> = {}): RawEntry {
  return {
    path: "package/package.json",
    content: JSON.stringify({ name: "@envs/chess", version: "1.0.0", ...fields }),
  };
}

/** A gzipped archive of these entries. Adds a `package.json` unless the entries have one. */
export function tarball(entries: readonly RawEntry[]): Uint8Array<ArrayBuffer> {
  const hasPackageJson = entries.some(({ path }) => path === "package/package.json");
  return gzipSync(archive(hasPackageJson ? entries : [packageJson(), ...entries]));
}

function header(entry: RawEntry): Buffer {
  const { path, kind = "0", mode = 0o644, magic = "ustar\x0000" } = entry;
  const block = Buffer.alloc(512);
  block.set(Buffer.from(path).subarray(0, 100));
  block.write(`${mode.toString(8).padStart(7, "0")}\0`, 100);
  block.write("0000000\0", 108);
  block.write("0000000\0", 116);
  block.write(entry.size ?? `${body(entry).length.toString(8).padStart(11, "0")}\0`, 124, "latin1");
  block.write("00000000000\0", 136);
  block.write(kind, 156, "latin1");
  block.write(entry.target ?? "", 157);
  block.write(magic, 257, "latin1");
  block.write(entry.prefix ?? "", 345);
  entry.editHeader?.(block);
  return sign(block);
}

function body({ content = "" }: RawEntry): Buffer {
  return Buffer.from(content);
}

function padded(entry: RawEntry): Buffer {
  const content = body(entry);
  return Buffer.concat([content, Buffer.alloc((512 - (content.length % 512)) % 512)]);
}

import { quoted, refusal } from "../../platform/errors/refusal.ts";

/** What an extended header changes about the entry after it. */
export interface PaxRecords {
  readonly path?: Buffer;
  readonly size?: string;
}

/**
 * The records that say nothing about what is unpacked where. There are others that some clients obey and some do not:
 * `type`, `linkpath`, `hdrcharset`, `GNU.sparse.name`, `SCHILY.realsize`.
 */
const harmless =
  /^(?:path|size|[acm]time|uid|gid|uname|gname|comment|SCHILY\.(?:dev|ino|nlink)|LIBARCHIVE\.creationtime)$/;

/** Reads an extended header of the POSIX format: lines of `<length> <key>=<value>`, each key once. */
export function paxRecords(content: Buffer): PaxRecords {
  const records = new Map<string, Buffer>();
  for (let rest = content; rest.length > 0;) {
    const { key, value, length } = firstRecord(rest);
    if (!harmless.test(key) || records.has(key))
      throw refusal(
        "tarball-unsupported",
        `An extended header has the record ${quoted(key)}${records.has(key) ? " twice" : ", which clients read in different ways"}. Pack the package with npm pack.`,
      );
    records.set(key, value);
    rest = rest.subarray(length);
  }
  const path = records.get("path");
  const size = records.get("size")?.toString("latin1");
  return { ...(path !== undefined && { path }), ...(size !== undefined && { size }) };
}

function firstRecord(rest: Buffer): { key: string; value: Buffer; length: number } {
  const blank = rest.indexOf(" ");
  const digits = blank > 0 && blank < 8 ? rest.toString("latin1", 0, blank) : "";
  const length = /^[1-9]\d*$/.test(digits) ? Number(digits) : 0;
  const record = rest.subarray(blank + 1, length - 1);
  const equals = record.indexOf("=");
  if (length > rest.length || rest[length - 1] !== 0x0a || equals < 1)
    throw refusal(
      "tarball-corrupt",
      "An extended header of the archive is malformed. Pack the package with npm pack.",
    );
  return {
    key: record.toString("latin1", 0, equals),
    value: record.subarray(equals + 1),
    length,
  };
}

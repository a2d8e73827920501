import { quoted, refusal } from "../../platform/errors/hub-error.ts";

/** The fields of the next entry that an extended header overrides. */
export interface PaxRecords {
  readonly path?: Buffer | undefined;
  readonly size?: string | undefined;
}

/**
 * The keys that all clients apply alike. Only some clients apply other keys, which change where or how a file is unpacked:
 * `type`, `linkpath`, `hdrcharset`, `GNU.sparse.name`, `SCHILY.realsize`.
 */
const supportedKeys =
  /^(?:path|size|[acm]time|uid|gid|uname|gname|comment|SCHILY\.(?:dev|ino|nlink)|LIBARCHIVE\.creationtime)$/;

/** Reads a POSIX extended header: lines of `<length> <key>=<value>`. Rejects duplicate keys. */
export function paxRecords(content: Buffer): PaxRecords {
  const records = new Map<string, Buffer>();
  for (let rest = content; rest.length > 0;) {
    const { key, value, length } = firstRecord(rest);
    if (!supportedKeys.test(key) || records.has(key))
      throw refusal(
        "tarball-unsupported",
        `An extended header has the record ${quoted(key)}${records.has(key) ? " twice" : ""}, which clients read differently. Pack the package with npm pack.`,
      );
    records.set(key, value);
    rest = rest.subarray(length);
  }
  return { path: records.get("path"), size: records.get("size")?.toString("latin1") };
}

function firstRecord(rest: Buffer): { key: string; value: Buffer; length: number } {
  const space = rest.indexOf(" ");
  const digits = space > 0 && space < 8 ? rest.toString("latin1", 0, space) : "";
  const length = /^[1-9]\d*$/.test(digits) ? Number(digits) : 0;
  const record = rest.subarray(space + 1, length - 1);
  const equals = record.indexOf("=");
  if (length > rest.length || rest[length - 1] !== 0x0a || equals < 1)
    throw refusal(
      "tarball-corrupt",
      "An extended header in the archive is malformed. Pack the package with npm pack.",
    );
  return {
    key: record.toString("latin1", 0, equals),
    value: record.subarray(equals + 1),
    length,
  };
}

import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { constants, gunzip, gzip } from "node:zlib";

import type { RunPart } from "@envs/hub-client";

import { HubError } from "../../platform/errors/hub-error.ts";

/** The stored form of a part: one gzip member for each line, so that a line can be read alone. */
export interface StoredPart {
  readonly bytes: Uint8Array;
  /** The SHA-512 of the bytes in hex. */
  readonly key: string;
  /** The position of each line. */
  readonly members: readonly { readonly start: number; readonly size: number }[];
}

const [inflate, deflate] = [promisify(gunzip), promisify(gzip)];
/** The number of members that are compressed at the same time. */
const batch = 64;

/** Decompresses a file and compares it with its announcement. Throws `run-part-invalid`. */
export async function readFilePart(
  body: Uint8Array,
  part: Pick<RunPart, "sha256" | "bytes">,
): Promise<{ readonly bytes: Uint8Array; readonly key: string }> {
  const bytes = await readContent(body, part);
  return { bytes, key: createHash("sha512").update(bytes).digest("hex") };
}

/** Decompresses a part and compares it with its announcement. Throws `run-part-invalid`. */
export async function readPart(
  body: Uint8Array,
  part: Pick<RunPart, "sha256" | "bytes" | "lines">,
): Promise<readonly string[]> {
  const lines = textOf(await readContent(body, part)).split("\n");
  if (lines.pop() !== "") throw invalid("its last line does not end");
  if (lines.length !== part.lines)
    throw invalid(`it has ${lines.length} lines instead of ${part.lines}`);
  return lines;
}

async function readContent(
  body: Uint8Array,
  part: Pick<RunPart, "sha256" | "bytes">,
): Promise<Uint8Array> {
  const content = await inflate(body, { maxOutputLength: part.bytes }).catch((error: unknown) => {
    throw invalid(
      (error as { code?: unknown }).code === "ERR_BUFFER_TOO_LARGE"
        ? `it has more than the announced ${part.bytes} bytes`
        : "it is not gzip",
    );
  });
  if (content.byteLength !== part.bytes)
    throw invalid(`it has ${content.byteLength} bytes instead of ${part.bytes}`);
  if (createHash("sha256").update(content).digest("hex") !== part.sha256)
    throw invalid("its SHA-256 differs");
  return content;
}

/** Compresses each line as its own member. The whole is gzip of all lines. */
export async function storedPart(lines: readonly string[]): Promise<StoredPart> {
  const members: Buffer[] = [];
  for (let at = 0; at < lines.length; at += batch) {
    const texts = lines.slice(at, at + batch);
    members.push(
      ...(await Promise.all(
        texts.map((text) => deflate(`${text}\n`, { level: constants.Z_DEFAULT_COMPRESSION })),
      )),
    );
    // Lets other requests run between batches.
    await setImmediate();
  }
  const bytes = Buffer.concat(members);
  let start = 0;
  return {
    bytes,
    key: createHash("sha512").update(bytes).digest("hex"),
    members: members.map(({ byteLength: size }) => {
      const member = { start, size };
      start += size;
      return member;
    }),
  };
}

function textOf(content: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    throw invalid("it is not UTF-8 text");
  }
}

function invalid(problem: string): HubError {
  return new HubError("run-part-invalid", {
    message: `The part does not match its description: ${problem}. Send it again.`,
  });
}

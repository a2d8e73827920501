import { createHash } from "node:crypto";

/** Lines of a run that are sent together, with what describes them. */
export interface LinePart {
  readonly text: string;
  readonly lines: number;
  readonly bytes: number;
  readonly sha256: string;
}

/** Divides lines into parts of limited size. The same lines always give the same parts, so that an upload can continue. */
export function* lineParts(
  lines: Iterable<string>,
  { partBytes, partLines }: { readonly partBytes: number; readonly partLines: number },
): Generator<LinePart> {
  let batch: string[] = [];
  let bytes = 0;
  const part = (): LinePart => {
    const text = batch.join("");
    const sha256 = createHash("sha256").update(text).digest("hex");
    return { text, lines: batch.length, bytes, sha256 };
  };
  for (const line of lines) {
    const size = Buffer.byteLength(line);
    if (batch.length > 0 && (bytes + size > partBytes || batch.length === partLines)) {
      yield part();
      batch = [];
      bytes = 0;
    }
    batch.push(line);
    bytes += size;
  }
  if (batch.length > 0) yield part();
}

import type { RawFields } from "./raw-fields.ts";
import type { WireBody } from "./wire.ts";

/** The length from which bytes are sent as they are, instead of copied to their neighbours. */
const minUncopied = 65_536;

/**
 * Writes a relayed body as JSON, in parts. The fields that are those of `sent` are its bytes in `fields`: to write a long conversation again, or to
 * copy it, takes longer than the rest of the call.
 */
export function splicedBody(
  body: WireBody,
  sent: WireBody,
  fields: RawFields | undefined,
): readonly Uint8Array<ArrayBuffer>[] {
  const encoder = new TextEncoder();
  const pieces = Object.entries(body)
    .filter(([, value]) => value !== undefined)
    .flatMap(([name, value], index) => [
      encoder.encode(`${index === 0 ? "{" : ","}${JSON.stringify(name)}:`),
      (value === sent[name] ? fields?.get(name) : undefined) ??
        encoder.encode(JSON.stringify(value)),
    ]);
  const start = pieces.length === 0 ? "{" : "";
  return joinShort([...pieces, encoder.encode(`${start}}`)]);
}

function joinShort(pieces: readonly Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer>[] {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let short: Uint8Array[] = [];
  const join = (): void => {
    if (short.length > 0) parts.push(joined(short));
    short = [];
  };
  for (const piece of pieces)
    if (piece.length < minUncopied) short.push(piece);
    else {
      join();
      parts.push(piece);
    }
  join();
  return parts;
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

import type { WireBody } from "./wire.ts";

const [quote, backslash, colon, comma] = [34, 92, 58, 44];
const [openBrace, closeBrace, openBracket, closeBracket] = [123, 125, 91, 93];

/**
 * Writes a relayed body as JSON. The fields that are those of `sent` are copied from its bytes: to write a long conversation again
 * takes longer than the rest of the call.
 */
export function splicedBody(
  body: WireBody,
  sent: WireBody,
  bytes: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const raw = rawFields(bytes);
  const encoder = new TextEncoder();
  const parts = Object.entries(body)
    .filter(([, value]) => value !== undefined)
    .flatMap(([name, value], index) => [
      encoder.encode(`${index === 0 ? "{" : ","}${JSON.stringify(name)}:`),
      (value === sent[name] ? raw?.get(name) : undefined) ?? encoder.encode(JSON.stringify(value)),
    ]);
  const start = parts.length === 0 ? "{" : "";
  return joined([...parts, encoder.encode(`${start}}`)]);
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

/** The JSON of an object's values, by name; `undefined` for an object that has a name twice, or names with escapes. */
function rawFields(bytes: Uint8Array): ReadonlyMap<string, Uint8Array> | undefined {
  const fields = new Map<string, Uint8Array>();
  const decoder = new TextDecoder();
  let [depth, name, start] = [0, "", -1];
  const end = (at: number): boolean => {
    if (start === -1) return true;
    const isNew = !fields.has(name) && !name.includes("\\");
    fields.set(name, bytes.subarray(start, at));
    start = -1;
    return isNew;
  };
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quote) {
      const close = endOfString(bytes, at);
      if (depth === 1 && start === -1) name = decoder.decode(bytes.subarray(at + 1, close));
      at = close;
    } else if (byte === openBrace || byte === openBracket) depth += 1;
    else if (byte === closeBrace || byte === closeBracket) {
      depth -= 1;
      if (depth === 0 && !end(at)) return undefined;
    } else if (depth === 1 && byte === colon) start = at + 1;
    else if (depth === 1 && byte === comma && !end(at)) return undefined;
  }
  return fields;
}

/** The place of the quotation mark that ends the string whose first one is at `start`. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let close = bytes.indexOf(quote, start + 1); ; close = bytes.indexOf(quote, close + 1)) {
    let first = close;
    while (bytes[first - 1] === backslash) first -= 1;
    if ((close - first) % 2 === 0) return close;
  }
}

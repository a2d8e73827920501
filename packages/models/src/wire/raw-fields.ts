const [quote, backslash, colon, comma] = [34, 92, 58, 44];
const [openBrace, closeBrace, openBracket, closeBracket] = [123, 125, 91, 93];

/** The JSON of an object's values, by name. */
export type RawFields = ReadonlyMap<string, Uint8Array<ArrayBuffer>>;

/**
 * Finds the values of an object of JSON. Returns `undefined` for an object that has a name twice, or names with escapes. The result
 * means nothing for bytes that are not JSON.
 */
export function rawFields(bytes: Uint8Array<ArrayBuffer>): RawFields | undefined {
  const fields = new Map<string, Uint8Array<ArrayBuffer>>();
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

/** The place of the last comma between the items of a list of JSON; -1 without one. `start` is one of these commas, or the list's start. */
export function lastComma(list: Uint8Array, start: number = 0): number {
  let [depth, last] = [start === 0 ? 0 : 1, -1];
  for (let at = start; at < list.length; at += 1) {
    const byte = list[at];
    if (byte === quote) at = endOfString(list, at);
    else if (byte === openBrace || byte === openBracket) depth += 1;
    else if (byte === closeBrace || byte === closeBracket) depth -= 1;
    else if (byte === comma && depth === 1) last = at;
  }
  return last;
}

/** The place of the quotation mark that ends the string whose first one is at `start`; the length of the bytes if none does. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let close = bytes.indexOf(quote, start + 1); ; close = bytes.indexOf(quote, close + 1)) {
    if (close === -1) return bytes.length;
    let first = close;
    while (bytes[first - 1] === backslash) first -= 1;
    if ((close - first) % 2 === 0) return close;
  }
}

import type { WireBody } from "./wire.ts";

/**
 * Writes a relayed body as JSON. The fields that are those of `sent` are copied from its text: to write a long conversation again
 * takes longer than the rest of the call.
 */
export function splicedBody(body: WireBody, sent: WireBody, text: string): string {
  const raw = rawFields(text);
  const fields = Object.entries(body).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const copied = value === sent[name] ? raw?.get(name) : undefined;
    return [`${JSON.stringify(name)}:${copied ?? JSON.stringify(value)}`];
  });
  return `{${fields.join(",")}}`;
}

/** The JSON texts of an object's values, by name; `undefined` for an object that has a name twice, or names with escapes. */
function rawFields(text: string): ReadonlyMap<string, string> | undefined {
  const fields = new Map<string, string>();
  let [depth, name, start] = [0, "", -1];
  const end = (at: number): boolean => {
    if (start === -1) return true;
    const isNew = !fields.has(name) && !name.includes("\\");
    fields.set(name, text.slice(start, at));
    start = -1;
    return isNew;
  };
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') {
      const close = endOfString(text, at);
      if (depth === 1 && start === -1) name = text.slice(at + 1, close);
      at = close;
    } else if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") {
      depth -= 1;
      if (depth === 0 && !end(at)) return undefined;
    } else if (depth === 1 && character === ":") start = at + 1;
    else if (depth === 1 && character === "," && !end(at)) return undefined;
  }
  return fields;
}

/** The place of the quotation mark that ends the string whose first one is at `start`. */
function endOfString(text: string, start: number): number {
  for (let close = text.indexOf('"', start + 1); ; close = text.indexOf('"', close + 1)) {
    let first = close;
    while (text[first - 1] === "\\") first -= 1;
    if ((close - first) % 2 === 0) return close;
  }
}

/**
 * The first key that stands twice in one object of a JSON text, which must be valid. `JSON.parse` keeps the last of them
 * and other readers the first, so that a file could mean one thing here and another there.
 */
export function repeatedKey(json: string): string | undefined {
  const open: Set<string>[] = [];
  const colon = /\s*:/y;
  let at = 0;
  while (at < json.length) {
    const character = json[at]!;
    if (character !== '"') {
      if (character === "{" || character === "[") open.push(new Set());
      if (character === "}" || character === "]") open.pop();
      at += 1;
      continue;
    }
    const from = at;
    at = afterString(json, at);
    colon.lastIndex = at;
    if (!colon.test(json)) continue;
    const key: unknown = JSON.parse(json.slice(from, at));
    const keys = open.at(-1)!;
    if (keys.has(String(key))) return String(key);
    keys.add(String(key));
  }
  return undefined;
}

function afterString(json: string, quote: number): number {
  let at = quote + 1;
  while (json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
  return at + 1;
}

/**
 * Finds the first key that occurs twice in one object of a valid JSON text. `JSON.parse` uses the last occurrence, other
 * readers the first, so they would read different tensors from the same file.
 */
export function duplicateKey(json: string): string | undefined {
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

/** A stretch of a text, from its first character to the one after its last. */
export interface JsonSpan {
  readonly from: number;
  readonly to: number;
}

/** What may come next in an open bracket. `first` is a value, or a key, or the closing bracket. */
type Expected = "first" | "value" | "key" | "colon" | "comma";

interface Open {
  readonly from: number;
  readonly closer: "}" | "]";
  expects: Expected;
}

const plainValue = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/**
 * Finds the JSON objects and arrays in a text, in order; of nested ones the outermost. One pass: what breaks the
 * grammar makes all open brackets prose, and what was complete inside them stays. It goes back only to the quote of a
 * string that has no end, and no later quote can be such a one again, so the time is linear.
 */
export function jsonSpans(text: string): JsonSpan[] {
  const open: Open[] = [];
  const found: JsonSpan[] = [];
  let at = 0;
  while (at < text.length) {
    const inner = open.at(-1);
    const character = text[at]!;
    if (inner === undefined) {
      if (character === "{" || character === "[") open.push(opened(character, at));
      at += 1;
    } else if (" \t\r\n".includes(character)) at += 1;
    else if (
      character === inner.closer &&
      (inner.expects === "first" || inner.expects === "comma")
    ) {
      at += 1;
      open.pop();
      while (found.length > 0 && found.at(-1)!.from > inner.from) found.pop();
      found.push({ from: inner.from, to: at });
    } else if (character === "," && inner.expects === "comma") {
      inner.expects = inner.closer === "]" ? "value" : "key";
      at += 1;
    } else if (character === ":" && inner.expects === "colon") {
      inner.expects = "value";
      at += 1;
    } else {
      const next = after(inner);
      const end = next === undefined ? undefined : itemEnd(text, at, next === "colon");
      if (next === undefined || end === undefined) open.length = 0;
      else {
        inner.expects = next;
        if (character === "{" || character === "[") open.push(opened(character, at));
        at = end;
      }
    }
  }
  return found;
}

function opened(bracket: "{" | "[", from: number): Open {
  return { from, closer: bracket === "{" ? "}" : "]", expects: "first" };
}

/** What comes after a key or a value, if one may come here. */
function after({ expects, closer }: Open): "colon" | "comma" | undefined {
  if (expects === "value" || (expects === "first" && closer === "]")) return "comma";
  return expects === "key" || expects === "first" ? "colon" : undefined;
}

/** Where the key or value that begins at `from` ends; of a bracket, where its inside begins. */
function itemEnd(text: string, from: number, isKey: boolean): number | undefined {
  const character = text[from];
  if (character === '"') return stringEnd(text, from);
  if (isKey) return undefined;
  if (character === "{" || character === "[") return from + 1;
  plainValue.lastIndex = from;
  return plainValue.test(text) ? plainValue.lastIndex : undefined;
}

function stringEnd(text: string, from: number): number | undefined {
  for (let at = from + 1; at < text.length; at += 1) {
    const character = text[at]!;
    if (character === '"') return at + 1;
    if (character === "\\") at += 1;
    else if (character < " ") return undefined;
  }
  return undefined;
}

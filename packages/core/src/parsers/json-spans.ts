/** A part of a text: `from` is the index of its first character, `to` the index after its last. */
export interface JsonSpan {
  readonly from: number;
  readonly to: number;
}

/** The next token that an open bracket expects. `first` is a value or a key, or the closing bracket. */
type Expected = "first" | "value" | "key" | "colon" | "comma";

interface OpenBracket {
  readonly from: number;
  readonly closer: "}" | "]";
  expects: Expected;
}

const plainValue = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/**
 * Finds the JSON objects and arrays in a text, in order; of nested ones the outermost. A token that violates the grammar turns
 * all open brackets into prose, and the complete values inside them count. The time is linear: the scan goes back only once,
 * to the opening quote of a string without an end, because every later string would lack an end too.
 */
export function jsonSpans(text: string): JsonSpan[] {
  const open: OpenBracket[] = [];
  const spans: JsonSpan[] = [];
  let at = 0;
  while (at < text.length) {
    const inner = open.at(-1);
    const character = text[at]!;
    if (inner === undefined) {
      if (character === "{" || character === "[") open.push(openBracket(character, at));
      at += 1;
    } else if (" \t\r\n".includes(character)) at += 1;
    else if (
      character === inner.closer &&
      (inner.expects === "first" || inner.expects === "comma")
    ) {
      at += 1;
      open.pop();
      while (spans.length > 0 && spans.at(-1)!.from > inner.from) spans.pop();
      spans.push({ from: inner.from, to: at });
    } else if (character === "," && inner.expects === "comma") {
      inner.expects = inner.closer === "]" ? "value" : "key";
      at += 1;
    } else if (character === ":" && inner.expects === "colon") {
      inner.expects = "value";
      at += 1;
    } else {
      const next = expectedAfterItem(inner);
      const end = next === undefined ? undefined : itemEnd(text, at, next === "colon");
      if (next === undefined || end === undefined) open.length = 0;
      else {
        inner.expects = next;
        if (character === "{" || character === "[") open.push(openBracket(character, at));
        at = end;
      }
    }
  }
  return spans;
}

function openBracket(bracket: "{" | "[", from: number): OpenBracket {
  return { from, closer: bracket === "{" ? "}" : "]", expects: "first" };
}

/** The token after the key or value that the bracket expects now; `undefined` if it expects neither. */
function expectedAfterItem({ expects, closer }: OpenBracket): "colon" | "comma" | undefined {
  if (expects === "value" || (expects === "first" && closer === "]")) return "comma";
  return expects === "key" || expects === "first" ? "colon" : undefined;
}

/** The index after the key or value that begins at `from`; for a bracket, the index after the bracket itself. */
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

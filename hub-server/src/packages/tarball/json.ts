import { quoted } from "../../platform/errors/refusal.ts";

/** A value, or what is wrong with its text: a sentence. */
export type JsonReading =
  | { readonly value: unknown; readonly problem?: undefined }
  | { readonly value?: undefined; readonly problem: string };

const deepest = 64;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/g;

/**
 * Reads JSON that every reader reads alike and a database can keep: no byte order mark, no property twice, no
 * `__proto__`, no text with a NUL or half of a surrogate pair, no great depth.
 */
export function readJson(bytes: Uint8Array): JsonReading {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return { problem: "It is not text in UTF-8." };
  }
  if (text.startsWith("\u{FEFF}")) return { problem: "It begins with a byte order mark." };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problem: `It is not JSON: ${error instanceof Error ? error.message : "unreadable"}.` };
  }
  const problem = ambiguityOf(text);
  return problem === undefined ? { value } : { problem };
}

/** The text is known to be JSON, so that its strings and brackets are all there is to look at. */
function ambiguityOf(text: string): string | undefined {
  const open: (Set<string> | undefined)[] = [];
  let latest = "";
  for (const [token] of text.matchAll(tokens)) {
    if (token === "{") open.push(new Set());
    else if (token === "[") open.push(undefined);
    else if (token === "}" || token === "]") open.pop();
    else if (token === ":") {
      const names = open.at(-1);
      if (names?.has(latest) || latest === "__proto__")
        return `The property ${quoted(latest)} is there twice, or must not be there.`;
      names?.add(latest);
    } else {
      latest = String(JSON.parse(token));
      if (latest.includes("\0") || !latest.isWellFormed())
        return "It has text with a NUL character, or with half of a surrogate pair.";
    }
    if (open.length > deepest) return `It is more than ${deepest} levels deep.`;
  }
  return undefined;
}

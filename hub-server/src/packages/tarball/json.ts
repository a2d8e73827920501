import { messageOf } from "@envs/core/engine";

import { quoted } from "../../platform/errors/hub-error.ts";

/** The parsed value, or a sentence that explains why the text is rejected. */
export type JsonResult =
  | { readonly value: unknown; readonly problem?: undefined }
  | { readonly value?: undefined; readonly problem: string };

const maxDepth = 64;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/g;

/**
 * Parses JSON that all parsers read alike and PostgreSQL can store. Rejects byte order marks, duplicate properties,
 * `__proto__`, NUL characters, unpaired surrogates and more than 64 levels.
 */
export function readJson(bytes: Uint8Array): JsonResult {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return { problem: "It is not UTF-8 text." };
  }
  if (text.startsWith("\u{FEFF}")) return { problem: "It begins with a byte order mark." };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return {
      problem: `It is not JSON: ${messageOf(error)}.`,
    };
  }
  const problem = ambiguityOf(text);
  return problem === undefined ? { value } : { problem };
}

/** The text is valid JSON, so checking its strings and brackets is sufficient. */
function ambiguityOf(text: string): string | undefined {
  const open: (Set<string> | undefined)[] = [];
  let latest = "";
  for (const [token] of text.matchAll(tokens)) {
    if (token === "{") open.push(new Set());
    else if (token === "[") open.push(undefined);
    else if (token === "}" || token === "]") open.pop();
    else if (token === ":") {
      const names = open.at(-1);
      if (latest === "__proto__") return "It has the property __proto__, which is not allowed.";
      if (names?.has(latest)) return `It has the property ${quoted(latest)} twice.`;
      names?.add(latest);
    } else {
      latest = String(JSON.parse(token));
      if (latest.includes("\0") || !latest.isWellFormed())
        return "It has a string with a NUL character or an unpaired surrogate.";
    }
    if (open.length > maxDepth) return `It has more than ${maxDepth} levels.`;
  }
  return undefined;
}

import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";

import * as z from "zod";

import type { Journal, JournalEntry } from "../journal.ts";

const entry = z.custom<JournalEntry>(
  (value) =>
    z
      .union([
        z.object({ key: z.string(), trial: z.looseObject({ reward: z.number() }) }),
        z.object({
          key: z.string(),
          response: z.looseObject({ message: z.looseObject({ content: z.string() }) }),
        }),
      ])
      .safeParse(value).success,
);

/** Opens a journal in a JSONL file. A line that a killed process has torn is played again. */
export function openJournal(path: string): Journal {
  const entries = new Map<string, JournalEntry>();
  mkdirSync(dirname(path), { recursive: true });
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  for (const line of text.split("\n")) {
    const { data } = entry.safeParse(parseJson(line));
    if (data !== undefined) entries.set(data.key, data);
  }
  // Ends an incomplete last line, which would otherwise absorb the next entry.
  if (text !== "" && !text.endsWith("\n")) appendFileSync(path, "\n");
  return {
    get: (key) => entries.get(key),
    add(added) {
      entries.set(added.key, added);
      appendFileSync(path, `${JSON.stringify(added)}\n`);
    },
  };
}

/** `undefined` if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

import { parse, safe } from "ini";

import { readText, type Variables, writeIfChanged } from "./context.ts";

/** Parses an `.npmrc` as npm does: the last line of a key wins, and `${NAME}` is replaced by the variable. */
export function parseNpmrc(text: string, variables: Variables): ReadonlyMap<string, string> {
  const settings = new Map<string, string>();
  for (const [key, value] of Object.entries(parse(text)))
    if (typeof value === "string")
      settings.set(expandVariables(key, variables), expandVariables(value, variables));
  return settings;
}

/** Sets a key in an `.npmrc` file. Returns whether the file changed. */
export async function writeSetting(file: string, key: string, value: string): Promise<boolean> {
  const text = await readText(file);
  return await writeIfChanged(file, text, withSetting(text, key, value));
}

/** Sets a key: replaces its line, or adds one. Keeps every other line. */
export function withSetting(text: string, key: string, value: string): string {
  const { settings, sections } = splitSections(text);
  const line = `${safe(key)}=${safe(value)}`;
  const first = settings.findIndex((setting) => isLineOf(setting, key));
  if (first === -1) return joinLines(settings, [line], sections);
  const [ending = ""] = /[\r\n]*$/.exec(settings[first] ?? "") ?? [];
  const rest = settings.slice(first + 1).filter((setting) => !isLineOf(setting, key));
  return [...settings.slice(0, first), `${line}${ending}`, ...rest, ...sections].join("");
}

/** Appends the lines that the text lacks. Keeps every other line. */
export function withLines(text: string, lines: readonly string[]): string {
  const { settings, sections } = splitSections(text);
  const existing = new Set(settings.map((line) => line.trim()));
  const added = lines.filter((line) => !existing.has(line));
  return joinLines(settings, added, sections);
}

/** Removes a key. Keeps every other line. */
export function withoutSetting(text: string, key: string): string {
  const { settings, sections } = splitSections(text);
  return [...settings.filter((line) => !isLineOf(line, key)), ...sections].join("");
}

/** Replaces `${NAME}`, and `${NAME?}`, which may be unset. Keeps an unset `${NAME}`, as npm does. */
export function expandVariables(text: string, variables: Variables): string {
  return text.replaceAll(
    /(?<!\\)(\\*)\$\{([^${}?]+)(\?)?\}/g,
    (match: string, ...groups: readonly (string | undefined)[]) => {
      const [escapes = "", name = "", optional] = groups;
      if (escapes.length % 2 === 1) return match.slice((escapes.length + 1) / 2);
      const value = variables[name] ?? (optional === undefined ? `\${${name}}` : "");
      return `${escapes.slice(escapes.length / 2)}${value}`;
    },
  );
}

/** Adds lines before the sections, with the line ending of the file. */
function joinLines(
  settings: readonly string[],
  added: readonly string[],
  sections: readonly string[],
): string {
  const ending = [...settings, ...sections].some((line) => line.endsWith("\r\n")) ? "\r\n" : "\n";
  const isOpen = added.length > 0 && /[^\r\n]$/.test(settings.at(-1) ?? "");
  const lines = added.map((line) => `${line}${ending}`);
  return [...settings, isOpen ? ending : "", ...lines, ...sections].join("");
}

/** Splits a text into lines with their endings. Lines below a `[section]` heading are not settings of npm. */
function splitSections(text: string): {
  readonly settings: readonly string[];
  readonly sections: readonly string[];
} {
  const lines = text.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? [];
  const heading = lines.findIndex((line) => /^\[[^\]]*\]\s*$/.test(line));
  const end = heading === -1 ? lines.length : heading;
  return { settings: lines.slice(0, end), sections: lines.slice(end) };
}

function isLineOf(line: string, key: string): boolean {
  return Object.hasOwn(parse(line), key);
}

import { parse, safe } from "ini";

/** Variables by name, as `process.env` has them. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** The settings in the text of an `.npmrc`, as npm reads them: the last of a name counts, and `${NAME}` stands for a variable. */
export function npmrcSettings(text: string, variables: Variables): ReadonlyMap<string, string> {
  const settings = new Map<string, string>();
  for (const [key, value] of Object.entries(parse(text)))
    if (typeof value === "string") settings.set(expand(key, variables), expand(value, variables));
  return settings;
}

/** The text with a setting, in its place if it had one. Every other line stays as it is. */
export function withSetting(text: string, key: string, value: string): string {
  const { settings, sections } = partsOf(text);
  const line = `${safe(key)}=${safe(value)}`;
  const first = settings.findIndex((each) => sets(each, key));
  if (first !== -1) {
    const [ending = ""] = /[\r\n]*$/.exec(settings[first] ?? "") ?? [];
    const rest = settings.slice(first + 1).filter((each) => !sets(each, key));
    return [...settings.slice(0, first), `${line}${ending}`, ...rest, ...sections].join("");
  }
  return joined(settings, [line], sections);
}

/** The text with further lines, those that it lacks. Every line of before stays as it is. */
export function withLines(text: string, lines: readonly string[]): string {
  const { settings, sections } = partsOf(text);
  const known = new Set(settings.map((line) => line.trim()));
  const added = lines.filter((line) => !known.has(line));
  return joined(settings, added, sections);
}

/** The text without a setting. Every other line stays as it is. */
export function withoutSetting(text: string, key: string): string {
  const { settings, sections } = partsOf(text);
  return [...settings.filter((each) => !sets(each, key)), ...sections].join("");
}

/** Replaces `${NAME}` by the variable, and `${NAME?}` by nothing if there is none; an unknown name stays, as with npm. */
export function expand(text: string, variables: Variables): string {
  return text.replaceAll(
    /(?<!\\)(\\*)\$\{([^${}?]+)(\?)?\}/g,
    (written: string, ...groups: readonly (string | undefined)[]) => {
      const [escapes = "", name = "", optional] = groups;
      if (escapes.length % 2 === 1) return written.slice((escapes.length + 1) / 2);
      const value = variables[name] ?? (optional === undefined ? `\${${name}}` : "");
      return `${escapes.slice(escapes.length / 2)}${value}`;
    },
  );
}

/** New lines end as those of before do. */
function joined(
  settings: readonly string[],
  added: readonly string[],
  sections: readonly string[],
): string {
  const ending = [...settings, ...sections].some((line) => line.endsWith("\r\n")) ? "\r\n" : "\n";
  const isOpen = added.length > 0 && /[^\r\n]$/.test(settings.at(-1) ?? "");
  const lines = added.map((line) => `${line}${ending}`);
  return [...settings, isOpen ? ending : "", ...lines, ...sections].join("");
}

/** Lines with what ends them. What follows the heading of a section belongs to that section, and is no setting of npm's. */
function partsOf(text: string): {
  readonly settings: readonly string[];
  readonly sections: readonly string[];
} {
  const lines = text.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? [];
  const heading = lines.findIndex((line) => /^\[[^\]]*\]\s*$/.test(line));
  const end = heading === -1 ? lines.length : heading;
  return { settings: lines.slice(0, end), sections: lines.slice(end) };
}

function sets(line: string, key: string): boolean {
  return Object.hasOwn(parse(line), key);
}

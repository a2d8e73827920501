import { styleText } from "node:util";

type Style = Parameters<typeof styleText>[0];

/** Colours text if the stream (default: stdout) supports colours; respects NO_COLOR and FORCE_COLOR. */
export function paint(
  style: Style,
  text: string,
  stream: NodeJS.WriteStream = process.stdout,
): string {
  return styleText(style, text, { stream });
}

/**
 * Makes untrusted text safe to print: a model or a package's author may have written escape sequences, or characters that
 * change the writing direction. Control characters become visible, and a tab becomes four spaces.
 */
export function clean(text: string): string {
  return text
    .toWellFormed()
    .replaceAll("\r\n", "\n")
    .replaceAll("\t", "    ")
    .replaceAll(/[^\P{Cc}\n]/gu, (character) => controlPicture(character.codePointAt(0)!))
    .replaceAll(/[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g, "\uFFFD");
}

/** Indents every line by two spaces. */
export function indent(text: string): string {
  return text.replaceAll(/^/gm, "  ");
}

/** Unicode has pictures of the C0 control characters only, such as `␛`. */
function controlPicture(code: number): string {
  return code < 0x20 ? String.fromCodePoint(0x2400 + code) : "\uFFFD";
}

/** Applies `clean` to every string and every property name in a JSON value. */
export function cleanJson<Value>(value: Value): Value {
  return cleanValue(value) as Value;
}

function cleanValue(value: unknown): unknown {
  if (typeof value === "string") return clean(value);
  if (Array.isArray(value)) return value.map(cleanValue);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, property]) => [clean(name), cleanValue(property)]),
  );
}

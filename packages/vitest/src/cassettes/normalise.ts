/** Replaces what differs between runs and machines in a text of a request. */
export type Normaliser = (text: string) => string;

const month = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\\.?";
const weekday = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? ";
const time =
  "\\d{1,2}:\\d{2}(?::\\d{2}(?:[.,]\\d+)?)?(?: ?[AP]M)?(?: ?(?:Z|UTC|GMT|[+-]\\d{2}:?\\d{2}))*";
const day = [
  "\\d{4}-\\d{2}-\\d{2}",
  `(?:${weekday})?${month} \\d{1,2}(?:st|nd|rd|th)?,? \\d{4}`,
  `(?:${weekday})?\\d{1,2}\\.? ${month} \\d{4}`,
  "\\d{1,2}/\\d{1,2}/\\d{4}",
].join("|");
// Seconds or milliseconds since 1970, from 2020 to 2033.
const epoch = "1[67]\\d{8}(?:\\d{3})?";
const duration = "\\d+(?:\\.\\d+)? ?(?:ms|s|seconds?|milliseconds?)";
const date = new RegExp(
  `\\b(?:(?:${day})(?:(?:T|,? (?:at )?)${time})?|${time}|${duration}|${epoch})\\b`,
  "gu",
);

/** Replaces dates, times of day and durations in seconds by `<date>`. */
export function normaliseDates(text: string): string {
  return text.replaceAll(date, "<date>");
}

const uuid = /\b[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}\b/giu;
const hex = /\b(?=[a-f]*\d)[\da-f]{16,}\b/giu;
const prefixed = /\b[A-Za-z]{2,12}[-_](?=[A-Za-z]*\d)[\dA-Za-z]{16,}\b/gu;
const port = /\b(127\.0\.0\.1|localhost):\d+/gu;

/** Replaces UUIDs, hashes, ids such as `call_…` and ports of this machine by `<id>`. */
export function normaliseIds(text: string): string {
  return text
    .replaceAll(uuid, "<id>")
    .replaceAll(hex, "<id>")
    .replaceAll(prefixed, "<id>")
    .replaceAll(port, "$1:<id>");
}

const path = /(?<![\w.:/\\])(?:[A-Za-z]:)?(?:[/\\][\w.@+~-]+)+[/\\]([\w.@+~-]+)/gu;

/** Replaces the folder of absolute paths by `<path>`, and keeps the last name. */
export function normalisePaths(text: string): string {
  return text.replaceAll(path, "<path>/$1");
}

/** The normalisers of suites that choose none. */
export const defaultNormalisers: readonly Normaliser[] = [
  // Folders have dates and ids in their names.
  normalisePaths,
  normaliseDates,
  normaliseIds,
];

/** Applies normalisers to every text of a value, such as a request. */
export function normalised(value: unknown, normalisers: readonly Normaliser[]): unknown {
  if (typeof value === "string") return normalisers.reduce((text, apply) => apply(text), value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => normalised(item, normalisers));
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, normalised(item, normalisers)]),
  );
}

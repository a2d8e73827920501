import type { Board, DeclaredRuns } from "@envs/hub-client";

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const whole = new Intl.NumberFormat("en");

/** A reward or a score with three digits after the point; a dash for a missing one. */
export function score(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  const text = value.toFixed(3);
  return Number(text) === 0 ? "0.000" : text.replace("-", "−");
}

/** A difference with its sign. */
export function difference(value: number): string {
  const text = score(value);
  return value > 0 && text !== "0.000" ? `+${text}` : text;
}

export function interval(value: { readonly low: number; readonly high: number } | null): string {
  return value === null ? "–" : `${score(value.low)} to ${score(value.high)}`;
}

export function percent(value: number | undefined): string {
  return value === undefined ? "–" : `${(100 * value).toFixed(1)} %`;
}

export function count(value: number): string {
  return whole.format(value);
}

/** A large number in three or four characters, such as 1.2M. */
export function short(value: number): string {
  return compact.format(value);
}

/** A cost in the currency of the prices, which the run does not name. */
export function cost(value: number | null): string {
  if (value === null) return "–";
  return value > 0 && value < 0.01 ? value.toPrecision(2) : value.toFixed(2);
}

/** The noun in the singular or the plural, after its number. */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

/** A number with at most three digits after the point. */
export function rounded(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}

const maxLength = 90;

/** A config in one line, such as `opponent=random, size=3`. */
export function configText(config: Readonly<Record<string, unknown>>): string {
  const text = Object.entries(config)
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");
  if (text === "") return "no options";
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

/** The examples of a board, such as `100 examples of eval`. */
export function sampleText({ examples, split, select }: Board): string {
  const selected = select === null ? "" : `, selected by ${select}`;
  return `${counted(examples, "example")}${split === null ? "" : ` of ${split}`}${selected}`;
}

/** How many declared runs came back, such as `3 of 10 declared runs came back`. */
export function declaredText({ declared, completed, open }: DeclaredCounts): string {
  const waiting = open === 0 ? "" : `, ${count(open)} may still come`;
  return `${count(completed)} of ${counted(declared, "declared run")} came back${waiting}`;
}

type DeclaredCounts = Pick<DeclaredRuns, "declared" | "completed" | "open">;

/** The path of a leaderboard. Undefined parameters are omitted. */
export function boardPath(
  packageName: string,
  query: Readonly<Record<string, string | undefined>>,
  extension = "",
): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) search.set(name, value);
  const suffix = search.size === 0 ? "" : `?${search.toString()}`;
  return `/package/${packageName}/evaluations${extension}${suffix}`;
}

/** The page of a run in the viewer. */
export function viewerPath(runId: string): string {
  return `/run/${runId}/rollouts`;
}

/** The page of one rollout. */
export function rolloutPath(runId: string, position: number): string {
  return `${viewerPath(runId)}/${position}`;
}

/** The page of a model. Its name may contain slashes, which stay readable unless a browser would change the path. */
export function modelPath(name: string): string {
  const isPath = name.split("/").every((part) => !["", ".", ".."].includes(part));
  const parts = isPath ? name.split("/") : [name];
  return `/models/${parts.map(encodeURIComponent).join("/").replaceAll("%3A", ":")}`;
}

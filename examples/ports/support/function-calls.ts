import { type Message, repliesOf } from "@envs/core";
import * as z from "zod";

/**
 * A right call, as the leaderboard writes it: for each parameter, its possible values; an empty text is one of them if the
 * parameter may be absent.
 */
export const answer = z.record(z.string(), z.record(z.string(), z.array(z.unknown())));

export type Answer = Readonly<Record<string, Possible>>;
type Possible = Readonly<Record<string, readonly unknown[]>>;

/** A call of a function with its arguments. */
type Call = readonly [name: string, values: Readonly<Record<string, unknown>>];

/** Model servers reject dots in names. */
export function nameOf(spec: string): string {
  return spec.replaceAll(".", "_");
}

/** The calls of a conversation. */
export function callsOf(completion: readonly Message[]): readonly Call[] {
  const calls = repliesOf(completion).flatMap((message) => message.tool_calls ?? []);
  return calls.map(({ function: { name, arguments: text } }) => {
    const values = z.record(z.string(), z.unknown()).safeParse(jsonOf(text));
    return [name, values.data ?? { "": "no JSON" }];
  });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The first possible value of each parameter. */
export function rightCalls(answers: readonly Answer[]): readonly Call[] {
  return answers.flatMap((one) =>
    Object.entries(one).map(([name, possible]): Call => [nameOf(name), firstValues(possible)]),
  );
}

function firstValues(possible: Possible): Readonly<Record<string, unknown>> {
  const values = Object.entries(possible).filter(([, options]) => !options.includes(""));
  return Object.fromEntries(
    values.map(([key, [value]]) => [key, isRecord(value) ? firstValues(value as never) : value]),
  );
}

/** Whether each answer has one call, in any order, and no call is left. */
export function areRight(calls: readonly Call[], answers: readonly Answer[]): boolean {
  const left = [...calls];
  for (const one of answers) {
    const index = left.findIndex((call) => isRight(call, one));
    if (index === -1) return false;
    left.splice(index, 1);
  }
  return left.length === 0;
}

function isRight([name, values]: Call, one: Answer): boolean {
  const [wanted, possible] = Object.entries(one)[0]!;
  return name === nameOf(wanted) && areValues(values, possible);
}

function areValues(values: object, possible: Readonly<Record<string, unknown>>): boolean {
  return (
    Object.keys(values).every((key) => Object.hasOwn(possible, key)) &&
    Object.entries(possible).every(([key, options]) =>
      Object.hasOwn(values, key)
        ? (options as readonly unknown[]).some((option) =>
            isSame((values as Readonly<Record<string, unknown>>)[key], option),
          )
        : (options as readonly unknown[]).includes(""),
    )
  );
}

/** Equal values; in texts, neither case nor punctuation matters. */
function isSame(value: unknown, option: unknown): boolean {
  if (typeof value === "string" && typeof option === "string")
    return plain(value) === plain(option);
  if (Array.isArray(value) && Array.isArray(option))
    return value.length === option.length && value.every((item, at) => isSame(item, option[at]));
  if (isRecord(value) && isRecord(option)) return areValues(value, option);
  return value === option;
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[ ,./\-_*^]/g, "")
    .replaceAll("'", '"');
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

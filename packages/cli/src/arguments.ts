import { parseArgs as parse } from "node:util";

import type { ArgsDef } from "citty";
import { closest, distance } from "fastest-levenshtein";

import { UsageError } from "./exit.ts";

/** " Did you mean …?" if one of `known` is near; empty otherwise. */
export function didYouMean(written: string, known: readonly string[]): string {
  if (known.length === 0) return "";
  const near = closest(written, known);
  return distance(written, near) <= Math.max(2, written.length / 3) ? ` Did you mean ${near}?` : "";
}

/** Throws a `UsageError` for the first option that is not in `known`, or that lacks its value. */
export function refuseUnknown(rawArgs: readonly string[], known: ArgsDef): void {
  const options = new Map<string, ArgsDef[string]>();
  for (const [name, definition] of Object.entries(known)) {
    if (definition.type === "positional") continue;
    options.set(kebab(name), definition);
    const aliases = "alias" in definition ? [definition.alias ?? []].flat() : [];
    for (const alias of aliases) options.set(alias, definition);
  }
  for (let at = 0; at < rawArgs.length; at += 1) {
    const argument = rawArgs[at]!;
    if (argument === "--") return;
    if (!/^--?[a-z]/i.test(argument)) continue;
    const [written = "", inline] = argument.split(/=(.*)/s, 2);
    const bare = written.replace(/^--?/, "");
    const name = kebab(bare);
    const definition = options.get(bare) ?? options.get(name) ?? negated(name, options);
    if (definition === undefined) {
      const names = [...options.keys()]
        .filter((option) => option.length > 1)
        .map((option) => `--${option}`);
      throw new UsageError(`There is no option ${written}.${didYouMean(written, names)}`);
    }
    if (definition.type === "boolean" || inline !== undefined) continue;
    const value = rawArgs[at + 1];
    if (value === undefined || /^--?[a-z]/i.test(value))
      throw new UsageError(`${written} needs a value.`);
    at += 1;
  }
}

function negated(
  name: string,
  options: ReadonlyMap<string, ArgsDef[string]>,
): ArgsDef[string] | undefined {
  const positive = name.startsWith("no-") ? options.get(name.slice(3)) : undefined;
  return positive?.type === "boolean" ? positive : undefined;
}

/** `minRandomMoveProb` → `min-random-move-prob`. */
export function kebab(name: string): string {
  return name.replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2").toLowerCase();
}

/** Reads a whole number of at least `least`; `undefined` if the option was not given. */
export function wholeNumber(name: string, text: string | undefined, least = 1): number | undefined {
  return number(name, text, (value) =>
    Number.isInteger(value) && value >= least ? undefined : `a whole number of at least ${least}`,
  );
}

/** Reads a number; `wrong` says what it should be if it is not that. */
export function number(
  name: string,
  text: string | undefined,
  wrong: (value: number) => string | undefined = () => undefined,
): number | undefined {
  if (text === undefined) return undefined;
  const value = text.trim() === "" ? Number.NaN : Number(text);
  const expected = wrong(value) ?? (Number.isNaN(value) ? "a number" : undefined);
  if (expected === undefined) return value;
  throw new UsageError(`--${name} is ${JSON.stringify(text)}. It must be ${expected}.`);
}

/** A command line in two: what is for us, and what follows `--` and is for the program that we start. */
export function splitAtDashes(rawArgs: readonly string[]): {
  readonly own: readonly string[];
  readonly passed: readonly string[];
} {
  const at = rawArgs.includes("--") ? rawArgs.indexOf("--") : rawArgs.length;
  return { own: rawArgs.slice(0, at), passed: rawArgs.slice(at + 1) };
}

/** The words of a command line that are neither options nor their values. */
export function positionals(rawArgs: readonly string[], known: ArgsDef): readonly string[] {
  const options = Object.fromEntries(
    Object.entries(known).flatMap(([name, definition]) => {
      const type: "boolean" | "string" = definition.type === "boolean" ? "boolean" : "string";
      const aliases = "alias" in definition ? [definition.alias ?? []].flat() : [];
      const short = aliases.find((alias) => alias.length === 1);
      return [[kebab(name), { type, ...(short === undefined ? {} : { short }) }] as const];
    }),
  );
  return parse({ args: [...rawArgs], options, strict: false, allowPositionals: true }).positionals;
}

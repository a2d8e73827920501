import { parseArgs } from "node:util";

import type { ArgsDef } from "citty";
import { closest, distance } from "fastest-levenshtein";

import { UsageError } from "./errors.ts";

/** Returns " Did you mean …?" with the candidate that is most like the text, or "" if none is similar. */
export function didYouMean(text: string, candidates: readonly string[]): string {
  const candidate = mostSimilar(text, candidates);
  return candidate === undefined ? "" : ` Did you mean ${candidate}?`;
}

/** Returns the candidate that is most like the text, or `undefined` if none is similar. */
export function mostSimilar(text: string, candidates: readonly string[]): string | undefined {
  if (candidates.length === 0) return undefined;
  const candidate = closest(text, candidates);
  const maxDistance = Math.max(2, text.length / 3);
  return distance(text, candidate) <= maxDistance ? candidate : undefined;
}

/** Throws a `UsageError` for the first option that the definitions lack, or that lacks its value. */
export function checkOptions(rawArgs: readonly string[], definitions: ArgsDef): void {
  const options = new Map<string, ArgsDef[string]>();
  for (const [name, definition] of Object.entries(definitions)) {
    if (definition.type === "positional") continue;
    for (const option of [kebab(name), ...aliasesOf(definition)]) options.set(option, definition);
  }
  for (let index = 0; index < rawArgs.length; index += 1) {
    const argument = rawArgs[index]!;
    if (argument === "--") return;
    if (!/^--?[a-z]/i.test(argument)) continue;
    const [flag = "", inlineValue] = argument.split(/=(.*)/s, 2);
    const bare = flag.replace(/^--?/, "");
    const name = kebab(bare);
    const definition = options.get(bare) ?? options.get(name) ?? negatedOption(name, options);
    if (definition === undefined) {
      const flags = ["help", ...options.keys()]
        .filter((option) => option.length > 1)
        .map((option) => `--${option}`);
      throw new UsageError(`Unknown option ${flag}.${didYouMean(flag, flags)}`);
    }
    if (definition.type === "boolean") {
      if (inlineValue === undefined || /^(?:true|false)$/.test(inlineValue)) continue;
      throw new UsageError(
        `${flag} does not take a value, but has ${JSON.stringify(inlineValue)}.`,
      );
    }
    const value = inlineValue ?? rawArgs[index + 1];
    if (value === undefined || (inlineValue === undefined && /^--?[a-z]/i.test(value)))
      throw new UsageError(`${flag} needs a value.`);
    if (name.endsWith("base-url")) checkUrls(flag, value);
    if (inlineValue === undefined) index += 1;
  }
}

function checkUrls(flag: string, value: string): void {
  for (const url of value.split(","))
    if (!/^\s*https?:\/\//.test(url) || !URL.canParse(url))
      throw new UsageError(
        `${flag} is ${JSON.stringify(value)}. It must be a URL such as http://127.0.0.1:8000/v1.`,
      );
}

/** Throws a `UsageError` for the first positional argument after `max`, by default the number of definitions. */
export function checkPositionals(
  rawArgs: readonly string[],
  definitions: ArgsDef,
  { command, max }: { readonly command: string; readonly max: number | undefined },
): void {
  const places = Object.values(definitions).filter(({ type }) => type === "positional");
  const { own } = splitAtDoubleDash(rawArgs);
  const extra = positionals(own, definitions)[max ?? places.length];
  if (extra !== undefined) throw unexpectedArgument(command, extra);
}

/**
 * Throws a `UsageError` for `--save` beside the folder of a run to resume, which stays where it is. `--resume latest` searches the
 * folder of `--save`, and an embedded queue is in it.
 */
export function checkResume(rawArgs: readonly string[], definitions: ArgsDef): void {
  if (!("save" in definitions && "resume" in definitions)) return;
  const { own } = splitAtDoubleDash(rawArgs);
  const resume = valueOf("--resume", own);
  if (resume === undefined || resume === "latest" || valueOf("--queue", own) !== undefined) return;
  if (valueOf("--save", own) !== undefined)
    throw new UsageError(
      `--save cannot be combined with --resume ${resume}: a resumed run stays in its folder. Remove --save.`,
    );
}

function valueOf(flag: string, rawArgs: readonly string[]): string | undefined {
  const index = rawArgs.findIndex((word) => word === flag || word.startsWith(`${flag}=`));
  return rawArgs[index] === flag ? rawArgs[index + 1] : rawArgs[index]?.slice(flag.length + 1);
}

/** The error for an argument that a command does not accept. */
export function unexpectedArgument(command: string, argument: string): UsageError {
  return new UsageError(
    `Unexpected argument ${JSON.stringify(argument)}. See: envs ${command} --help`,
  );
}

function aliasesOf(definition: ArgsDef[string]): readonly string[] {
  return "alias" in definition ? [definition.alias ?? []].flat() : [];
}

function negatedOption(
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

/** Parses the value of an option as an integer of at least `minimum`; `undefined` if the option is absent. */
export function integerOption(
  name: string,
  text: string | undefined,
  minimum = 1,
): number | undefined {
  return numberOption(name, text, (value) =>
    Number.isSafeInteger(value) && value >= minimum
      ? undefined
      : `a whole number ${value > minimum && Number.isInteger(value) ? "below 2^53" : `of at least ${minimum}`}`,
  );
}

/** Parses the value of an option as a number. `expectation` returns what it must be, if the number is not valid. */
export function numberOption(
  name: string,
  text: string | undefined,
  expectation: (value: number) => string | undefined = () => undefined,
): number | undefined {
  if (text === undefined) return undefined;
  const value = text.trim() === "" ? Number.NaN : Number(text);
  const expected = expectation(value) ?? (Number.isNaN(value) ? "a number" : undefined);
  if (expected === undefined) return value;
  throw new UsageError(`--${name} is ${JSON.stringify(text)}. It must be ${expected}.`);
}

/** Parses the value of an option as seconds; returns whole milliseconds. */
export function secondsOption(name: string, text: string | undefined): number | undefined {
  const seconds = numberOption(name, text, positive);
  return seconds === undefined ? undefined : Math.ceil(seconds * 1000);
}

/** A check for {@link numberOption}. */
export function positive(value: number): string | undefined {
  return value > 0 ? undefined : "above 0";
}

/** Checks that the value of an option is one of the choices; `undefined` if the option is absent. */
export function choiceOption<Choice extends string>(
  name: string,
  text: string | undefined,
  choices: readonly Choice[],
): Choice | undefined {
  const choice = choices.find((candidate) => candidate === text);
  if (text === undefined || choice !== undefined) return choice;
  throw new UsageError(
    `--${name} is ${JSON.stringify(text)}. It must be one of: ${choices.join(", ")}.`,
  );
}

/** Splits the value of an option at commas; `undefined` if no value is left. */
export function listOption(text: string | undefined): string[] | undefined {
  const values = (text ?? "")
    .split(",")
    .map((value) => value.trim())
    .filter((value) => value !== "");
  return values.length === 0 ? undefined : values;
}

/** Parses the first word after a command as one of its actions; the first action is the default. */
export function parseAction<Action extends string>(
  command: string,
  word: string | undefined,
  actions: readonly [Action, ...Action[]],
): Action {
  if (word === undefined) return actions[0];
  const action = actions.find((candidate) => candidate === word);
  if (action !== undefined) return action;
  throw new UsageError(
    `envs ${command} has no action ${JSON.stringify(word)}.${didYouMean(word, actions)} Actions: ${actions.join(", ")}.`,
  );
}

/** Splits a command line at `--`: our own arguments, and those to pass on to the program that we start. */
export function splitAtDoubleDash(rawArgs: readonly string[]): {
  readonly own: readonly string[];
  readonly passthrough: readonly string[];
} {
  const index = rawArgs.includes("--") ? rawArgs.indexOf("--") : rawArgs.length;
  return { own: rawArgs.slice(0, index), passthrough: rawArgs.slice(index + 1) };
}

/** Returns the arguments that are neither options nor values of options. */
export function positionals(rawArgs: readonly string[], definitions: ArgsDef): readonly string[] {
  const options = Object.fromEntries(
    Object.entries(definitions).map(([name, definition]) => {
      const type: "boolean" | "string" = definition.type === "boolean" ? "boolean" : "string";
      const short = aliasesOf(definition).find((alias) => alias.length === 1);
      return [kebab(name), { type, ...(short !== undefined && { short }) }] as const;
    }),
  );
  return parseArgs({ args: [...rawArgs], options, strict: false, allowPositionals: true })
    .positionals;
}

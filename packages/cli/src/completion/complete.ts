import type { ArgsDef } from "citty";

import { findCommand } from "../help/find-command.ts";
import { groups } from "../help/groups.ts";
import { namesBelow } from "../help/overview.ts";
import { missingMark } from "../packages/package-commands.ts";
import { kebab } from "../terminal/arguments.ts";
import type { LazyCommand } from "../terminal/command.ts";
import { type Candidate, valuesOf } from "./values.ts";

type Commands = Readonly<Record<string, LazyCommand>>;

/** The environment variable that the script for zsh sets to `zsh`. */
export const shellVariable = "ENVS_COMPLETION_SHELL";

/**
 * Returns the completions of the last word for a shell: a line per candidate with its value, a tab and its description, then a
 * directive, which is 4 if the shell must not complete file names.
 */
export async function complete(commands: Commands, line: readonly string[]): Promise<string> {
  const words = line[0] === "help" ? line.slice(1) : line;
  const typed = words.at(-1) ?? "";
  const found = await candidates(commands, words.slice(0, -1), typed);
  const matching = found.filter(({ value }) => value.startsWith(typed.replace(/^--[^=]*=/, "")));
  // In zsh, a colon ends the value; the library's script does not escape it.
  const isZsh = process.env[shellVariable] === "zsh";
  const lines = matching.map(({ value, text }) =>
    [isZsh ? value.replaceAll(":", "\\:") : value, text.split("\n", 1)[0]].join("\t"),
  );
  return [...lines, `:${matching.length > 0 ? 4 : 0}`, ""].join("\n");
}

async function candidates(
  commands: Commands,
  before: readonly string[],
  typed: string,
): Promise<readonly Candidate[]> {
  if (before.length === 0) return firstWords(commands);
  const [group = ""] = before;
  const below = before.length === 1 ? namesBelow(commands, group) : [];
  const secondWords = below.map((name) => ({
    value: name.slice(group.length + 1),
    text: commands[name]!.summary,
  }));
  if (secondWords.length > 0 && !Object.hasOwn(commands, group)) return secondWords;
  const { command, args } = findCommand(commands, before);
  // Loading a command of a missing package would offer to install it.
  if (missingMark(command) !== "") return secondWords;
  const { args: definitions = {} } = await command.load();
  const resolved = typeof definitions === "function" ? await definitions() : await definitions;
  return [...secondWords, ...(await ofCommand(resolved, args, typed))];
}

function firstWords(commands: Commands): readonly Candidate[] {
  const names = new Set(Object.keys(commands).map((name) => name.split(" ", 1)[0]!));
  const own = [...names].map((name) => ({
    value: name,
    text: groups[name] ?? commands[name]?.summary ?? "",
  }));
  return [...own, { value: "help", text: "Show the options of a command" }];
}

async function ofCommand(
  definitions: ArgsDef,
  args: readonly string[],
  typed: string,
): Promise<readonly Candidate[]> {
  const option = optionOf(definitions, /^--[^=]+(?==)/.exec(typed)?.[0] ?? args.at(-1) ?? "");
  if (option !== undefined) return await valuesOf(option, { args, typed });
  if (typed.startsWith("-")) return options(definitions);
  const positional = Object.entries(definitions).filter(([, { type }]) => type === "positional");
  const values = await Promise.all(positional.map(([name]) => valuesOf(name, { args, typed })));
  return values.flat();
}

function options(definitions: ArgsDef): readonly Candidate[] {
  const flags = Object.entries(definitions).filter(([, { type }]) => type !== "positional");
  return [
    ...flags.map(([name, { description }]) => ({
      value: `--${kebab(name)}`,
      text: description ?? "",
    })),
    { value: "--help", text: "Show the options of the command" },
  ];
}

/** The name of the option that a word such as `-m` or `--model` gives a value to. */
function optionOf(definitions: ArgsDef, word: string): string | undefined {
  if (!word.startsWith("-")) return undefined;
  const bare = word.replace(/^--?/, "");
  return Object.entries(definitions).find(([name, definition]) => {
    if (definition.type === "boolean" || definition.type === "positional") return false;
    const alias = "alias" in definition ? [definition.alias].flat() : [];
    return kebab(name) === bare || alias.includes(bare);
  })?.[0];
}

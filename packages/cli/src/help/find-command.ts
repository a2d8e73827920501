import { mostSimilar } from "../terminal/arguments.ts";
import type { LazyCommand } from "../terminal/command.ts";
import { UsageError } from "../terminal/errors.ts";
import { namesBelow } from "./overview.ts";

/** A command with its arguments. */
interface CommandLine {
  readonly name: string;
  readonly command: LazyCommand;
  readonly args: readonly string[];
}

type Commands = Readonly<Record<string, LazyCommand>>;

/** Finds the command of the first two words, else of the first. Throws a `UsageError` for an unknown command. */
export function findCommand(commands: Commands, words: readonly string[]): CommandLine {
  for (const length of [2, 1]) {
    const name = words.slice(0, length).join(" ");
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (command !== undefined) return { name, command, args: words.slice(length) };
  }
  throw unknownCommand(commands, words);
}

function unknownCommand(commands: Commands, [first = "", second = ""]: readonly string[]) {
  const group = namesBelow(commands, first);
  const [word, names, rest] =
    group.length > 0
      ? [`${first} ${second}`.trim(), group, `Commands: ${group.join(", ")}.`]
      : [first, [...Object.keys(commands), "--help", "--version"], "See: envs --help"];
  const name = similarCommand(word, names);
  const suggestion = name === undefined ? "" : ` Did you mean envs ${name}?`;
  const kind = word.startsWith("-") ? "option" : "command";
  return new UsageError(`Unknown ${kind} ${JSON.stringify(word)}.${suggestion} ${rest}`);
}

/** Also compares the last word of each name: `diff` is like `run diff`. */
function similarCommand(text: string, names: readonly string[]): string | undefined {
  const byLastWord = new Map(names.map((name) => [name.split(" ").at(-1)!, name]));
  const lastWord = mostSimilar(text, [...byLastWord.keys()]);
  return mostSimilar(text, names) ?? (lastWord && byLastWord.get(lastWord));
}

import { missingMark } from "../packages/package-commands.ts";
import type { LazyCommand } from "../terminal/command.ts";
import { groups, startingCommands } from "./groups.ts";

type Commands = Readonly<Record<string, LazyCommand>>;

/** Returns what `envs --help` prints: some commands and the groups, or with `isAll` every command. */
export function overview(
  commands: Commands,
  { version, isAll }: { readonly version: string; readonly isAll: boolean },
): string {
  return `envs ${version}: reinforcement-learning environments for language models

Usage: envs <command> [options]

${isAll ? list(commands, Object.keys(commands).toSorted()) : selection(commands)}

  envs help <command>    Show the options of a command, or the commands of a group
  envs help --all        List every command

Example: envs eval tictactoe -m policy:optimal
`;
}

/** Returns the commands of a group such as `run`, as `envs help run` lists them. */
export function groupHelp(commands: Commands, group: string): string {
  return `envs ${group}: ${groups[group] ?? ""}

${list(commands, namesBelow(commands, group))}

  envs help ${group} <command>    Show the options of a command
`;
}

/** The names of the commands in a group: those of two words that begin with the group's. */
export function namesBelow(commands: Commands, group: string): readonly string[] {
  return Object.keys(commands)
    .filter((name) => name.startsWith(`${group} `))
    .toSorted();
}

function selection(commands: Commands): string {
  const others = Object.keys(commands).filter(
    (name) => !name.includes(" ") && !startingCommands.includes(name) && !(name in groups),
  );
  return `${list(commands, startingCommands)}

Groups:
${lines(Object.entries(groups))}

More: ${others.toSorted().join(", ")}`;
}

function list(commands: Commands, names: readonly string[]): string {
  return lines(
    names.map((name) => {
      const command = commands[name];
      return [name, command === undefined ? "" : command.summary + missingMark(command)];
    }),
  );
}

function lines(entries: readonly (readonly [string, string])[]): string {
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map(([name, summary]) => `  ${name.padEnd(width)}  ${summary}`).join("\n");
}

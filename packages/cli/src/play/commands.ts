import { didYouMean } from "@envs/terminal";

/** The commands that a player can type instead of an answer, with their help texts. */
export const commands = {
  back: "Take back your last answer",
  restart: "Restart this example",
  next: "Go to the next example",
  hint: "Show what the environment's best policy would answer",
  show: "Show the whole conversation, as the model sees it",
  call: 'Call a tool: /call name {"argument": …}, or /call name text if it has one argument',
  help: "Show this list",
  quit: "Stop playing",
} as const;

export type CommandName = keyof typeof commands;

/** A typed line: an answer, a command, or an unknown command. */
export type PlayerInput =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "command"; readonly name: CommandName; readonly argument: string }
  | { readonly kind: "unknown"; readonly problem: string };

/** Parses a typed line. Two slashes begin an answer that starts with a slash. */
export function parseInput(line: string): PlayerInput {
  if (!line.startsWith("/")) return { kind: "text", text: line };
  if (line.startsWith("//")) return { kind: "text", text: line.slice(1) };
  const [, word = "", argument = ""] = /^\/(\S*)\s*([\s\S]*)$/.exec(line) ?? [];
  const names = Object.keys(commands) as CommandName[];
  const name = names.find((known) => known === word.toLowerCase());
  if (name !== undefined) return { kind: "command", name, argument: argument.trim() };
  const problem = `Unknown command /${word}.${didYouMean(word, names)} Type /help for a list, or // to begin an answer with a slash.`;
  return { kind: "unknown", problem };
}

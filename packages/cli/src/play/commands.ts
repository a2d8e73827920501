import { didYouMean } from "@envs/terminal";

/** What can be typed instead of an answer. */
export const commands = {
  back: "Take your last answer back",
  restart: "Begin this example again",
  next: "Go to the next example",
  hint: "What the environment's best player would say",
  show: "The whole conversation, as the model sees it",
  call: 'Call a tool: /call name {"argument": …}, or /call name text if it needs one argument',
  help: "This list",
  quit: "Stop playing",
} as const;

export type CommandName = keyof typeof commands;

/** What a person typed: text to send, a command, or a mistake. */
export type Typed =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "command"; readonly name: CommandName; readonly rest: string }
  | { readonly kind: "mistake"; readonly problem: string };

/** Tells commands from text. Text that begins with a slash is typed with two. */
export function readTyped(line: string): Typed {
  if (!line.startsWith("/")) return { kind: "text", text: line };
  if (line.startsWith("//")) return { kind: "text", text: line.slice(1) };
  const [, word = "", rest = ""] = /^\/(\S*)\s*([\s\S]*)$/.exec(line) ?? [];
  const names = Object.keys(commands) as CommandName[];
  const name = names.find((known) => known === word.toLowerCase());
  if (name !== undefined) return { kind: "command", name, rest: rest.trim() };
  const problem = `There is no command /${word}.${didYouMean(word, names)} /help lists them; two slashes begin a text.`;
  return { kind: "mistake", problem };
}

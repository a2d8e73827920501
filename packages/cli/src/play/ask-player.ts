import { paint } from "../terminal/text.ts";
import type { LineReader } from "./line-reader.ts";
import { commands, type CommandName, parseInput } from "./player-input.ts";

/** The commands that leave the current position instead of answering. */
export type Navigation = "back" | "restart" | "next" | "quit";

/** Thrown through an episode to leave it. */
class NavigationSignal extends Error {
  override readonly name = "NavigationSignal";
  readonly navigation: Navigation;

  constructor(navigation: Navigation) {
    super(`The player left the episode: ${navigation}.`);
    this.navigation = navigation;
  }
}

/** The player's navigation, if it caused `error`. An episode wraps errors that pass through it. */
export function navigationIn(error: unknown): Navigation | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof NavigationSignal) return cause.navigation;
  return undefined;
}

export interface AskOptions<Answer> {
  readonly prompt: string;
  readonly canGoBack: boolean;
  readonly write: (text: string) => void;
  /** Runs a command other than navigation and `/help`. Resolves to an answer if the command gives one. */
  readonly onCommand: (name: CommandName, argument: string) => Promise<Answer | undefined>;
}

/** Prompts until the player gives an answer. Navigation commands throw through the episode; see {@link navigationIn}. */
export async function askPlayer<Answer>(
  lines: LineReader,
  { prompt, canGoBack, write, onCommand }: AskOptions<Answer>,
): Promise<string | Answer> {
  for (;;) {
    const line = await readText(lines, prompt);
    if (line === undefined) throw new NavigationSignal("quit");
    const input = parseInput(line);
    if (input.kind === "text") {
      if (input.text.trim() !== "") return input.text;
      write(note("Type an answer, or /help."));
      continue;
    }
    if (input.kind === "unknown") {
      write(note(input.problem));
      continue;
    }
    const { name, argument } = input;
    if (name === "back" && !canGoBack) write(note("There is no answer to take back."));
    else if (isNavigation(name)) throw new NavigationSignal(name);
    else if (name === "help") write(helpText());
    else {
      const answer = await onCommand(name, argument);
      if (answer !== undefined) return answer;
    }
  }
}

/** Reads one line, or several lines between two `"""`. */
async function readText(lines: LineReader, prompt: string): Promise<string | undefined> {
  const first = await lines.read(prompt);
  if (first?.trimStart().startsWith('"""') !== true) return first;
  let text = first.trimStart().slice(3);
  while (!text.trimEnd().endsWith('"""')) {
    const line = await lines.read(paint("dim", "… "));
    if (line === undefined) return undefined;
    text += `\n${line}`;
  }
  return text.trimEnd().slice(0, -3).replace(/^\n/, "").replace(/\n$/, "");
}

function isNavigation(name: CommandName): name is Navigation {
  return name === "back" || name === "restart" || name === "next" || name === "quit";
}

/** Formats a note to the player. */
export function note(text: string): string {
  return paint("yellow", text.replaceAll(/^/gm, "  "));
}

function helpText(): string {
  const rows = Object.entries(commands).map(
    ([name, description]) => `  ${paint("bold", `/${name}`.padEnd(10))} ${description}`,
  );
  return [
    ...rows,
    `  ${paint("bold", '"""'.padEnd(10))} Begin and end an answer of several lines`,
  ].join("\n");
}

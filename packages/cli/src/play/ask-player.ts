import { paint } from "@envs/terminal";

import { commands, type CommandName, readTyped } from "./commands.ts";
import type { Lines } from "./lines.ts";

/** Where a person goes instead of answering. */
export type Way = "back" | "restart" | "next" | "quit";

/** Thrown through an episode that is left. */
class Leave extends Error {
  override readonly name = "Leave";
  readonly way: Way;

  constructor(way: Way) {
    super(`The person goes: ${way}.`);
    this.way = way;
  }
}

/** The way that is taken, if that is why `error` came; an episode wraps what passes through it. */
export function wayOf(error: unknown): Way | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof Leave) return cause.way;
  return undefined;
}

/** What the commands do that do not leave. Resolves to the answer that a command gives, if it gives one. */
export type Serve<Answer> = (name: CommandName, rest: string) => Promise<Answer | undefined>;

export interface AskOptions<Answer> {
  readonly prompt: string;
  readonly canGoBack: boolean;
  readonly write: (text: string) => void;
  readonly serve: Serve<Answer>;
}

/** Asks for an answer. Commands are served on the way; those that leave the episode are thrown. */
export async function askPerson<Answer>(
  lines: Lines,
  { prompt, canGoBack, write, serve }: AskOptions<Answer>,
): Promise<string | Answer> {
  for (;;) {
    const line = await readText(lines, prompt);
    if (line === undefined) throw new Leave("quit");
    const typed = readTyped(line);
    if (typed.kind === "text") {
      if (typed.text.trim() !== "") return typed.text;
      write(note("Type an answer, or /help."));
      continue;
    }
    if (typed.kind === "mistake") {
      write(note(typed.problem));
      continue;
    }
    const { name, rest } = typed;
    if (name === "back" && !canGoBack) write(note("There is nothing to take back yet."));
    else if (isWay(name)) throw new Leave(name);
    else if (name === "help") write(helpText());
    else {
      const answer = await serve(name, rest);
      if (answer !== undefined) return answer;
    }
  }
}

/** A line, or what stands between two `"""`. */
async function readText(lines: Lines, prompt: string): Promise<string | undefined> {
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

function isWay(name: CommandName): name is Way {
  return name === "back" || name === "restart" || name === "next" || name === "quit";
}

/** A remark to the person, beside the play. */
export function note(text: string): string {
  return paint("yellow", text.replaceAll(/^/gm, "  "));
}

function helpText(): string {
  const rows = Object.entries(commands).map(
    ([name, meaning]) => `  ${paint("bold", `/${name}`.padEnd(10))} ${meaning}`,
  );
  return [
    ...rows,
    `  ${paint("bold", '"""'.padEnd(10))} Begins a text of several lines, and ends it`,
  ].join("\n");
}

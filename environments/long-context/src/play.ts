import {
  type AssistantMessage,
  assistantMessage,
  callTools,
  type Message,
  textOf,
} from "@envs/core";

import { averageLength } from "./letters.ts";
import { cities, concerns, firstNames, lastNames } from "./phrases.ts";
import { readerCode, wordsCode } from "./policy-code.ts";
import type { Question } from "./questions.ts";

interface Position {
  readonly config: { readonly language: "javascript" | "python"; readonly maxPrompt: number };
  readonly example: Question & { readonly characters: number };
  readonly messages: readonly Message[];
}

/** The first reads everything in pieces. The others are shortcuts that should not work. */
export const play = {
  /** Lets the sub-model label each letter, and counts in code. */
  reader: (position: Position) => afterRun(readerCode(position), position),
  /** Reads the first half of the letters, and takes it for the whole. */
  half: (position: Position) => afterRun(readerCode({ ...position, share: 0.5 }), position),
  /** Searches for words instead of reading. */
  words: (position: Position) => afterRun(wordsCode(position), position),
  /** Prints the text, and answers from the part that is shown. */
  print: (position: Position) => {
    const shown = lastResult(position.messages);
    return shown === undefined ? call("text") : answer(expected(position, shown));
  },
  /** Passes the whole text to the sub-model. */
  everything: (position: Position) => {
    const reply = lastResult(position.messages);
    const code = `ask(${JSON.stringify(position.example.question)} + text)`;
    return reply === undefined ? call(code) : answer(reply);
  },
  /** Replaces the function and prints an invented result. */
  forger: (position: Position) => {
    const code = 'globalThis.ask = globalThis.askAll = () => "17: refund"; "correct: 1"';
    const printed = lastResult(position.messages);
    return printed === undefined ? call(code) : answer(printed);
  },
  /** Gives the most probable answer without reading the text. */
  guess: (position: Position) => answer(expected(position, "")),
};

/** Runs code once, and answers with its last output. */
function afterRun(code: string, { messages }: Position): AssistantMessage {
  const printed = lastResult(messages);
  return printed === undefined ? call(code) : answer(printed.split("\n").at(-1)!);
}

/** The best guess from the shown part; a fixed guess if it has no answer. */
function expected({ example: { kind, characters } }: Position, shown: string): string {
  const writers = [...shown.matchAll(/^From: (.+), (.+)$/gmu)];
  if (kind === "find") return writers[0]?.[1] ?? `${firstNames[0]!} ${lastNames[0]!}`;
  if (kind === "join") return writers[0]?.[2] ?? cities[0]!;
  return String(Math.round(characters / averageLength / concerns.length));
}

function lastResult(messages: readonly Message[]): string | undefined {
  const last = messages.at(-1);
  return last?.role === "tool" ? textOf(last.content) : undefined;
}

function answer(value: string): AssistantMessage {
  return assistantMessage(`<answer>${value}</answer>`);
}

function call(code: string): AssistantMessage {
  return callTools([["run", { code }]]);
}

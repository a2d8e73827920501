import type { KeyedExample } from "@envs/core/engine";

import { paint } from "../terminal/text.ts";
import { figure } from "../text/figures.ts";
import { note } from "./ask-player.ts";
import { type PlayContext, undoLastMove } from "./play-context.ts";
import { type ExamplePlay, playExample, type PlayOutcome } from "./play-example.ts";
import { parseInput } from "./player-input.ts";

/** Plays examples until the player quits. Resolves to the exit code: 1 if the last episode failed. */
export async function playSession(
  context: PlayContext,
  examples: AsyncIterator<KeyedExample>,
): Promise<number> {
  const rewards: number[] = [];
  let play = await nextExample(examples, true);
  let hasFailed = false;
  while (play !== undefined) {
    const outcome = await playExample(context, play);
    hasFailed = outcome.end === "failed";
    if (outcome.end === "finished") rewards.push(outcome.reward!);
    const next =
      outcome.end === "finished" || outcome.end === "failed"
        ? await askNextStep(context, outcome)
        : outcome.end;
    if (next === "quit") break;
    if (next === "back" && outcome.end === "finished") rewards.pop();
    if (next === "next") {
      play = await nextExample(examples, false);
      if (play === undefined) context.write(note("That was the last example."));
    } else play = { ...play, ...replayed(play, outcome, next), showsInstructions: false };
  }
  if (rewards.length > 1) {
    const mean = rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length;
    context.write(`\n${rewards.length} games, mean reward ${figure(mean)}.`);
  }
  return hasFailed ? 1 : 0;
}

type NextStep = "next" | "restart" | "back" | "retry" | "quit";

function replayed(
  { attempt }: ExamplePlay,
  { history }: PlayOutcome,
  step: "restart" | "back" | "retry",
): Partial<ExamplePlay> {
  if (step === "restart") return { history: [], attempt: attempt + 1 };
  return { history: step === "back" ? (undoLastMove(history) ?? []) : history };
}

async function askNextStep({ lines, write }: PlayContext, { end }: PlayOutcome): Promise<NextStep> {
  const question = end === "failed" ? "Try again?" : "Play again?";
  write("");
  for (;;) {
    const line = await lines.read(`${paint("bold", question)} ${paint("dim", "[Y/n]")} `);
    if (line === undefined) return "quit";
    const input = parseInput(line);
    if (input.kind === "command") {
      const { name } = input;
      if (name === "next" || name === "restart" || name === "back" || name === "quit") return name;
    }
    if (/^\s*(y|yes)?\s*$/i.test(line)) return end === "failed" ? "retry" : "next";
    if (/^\s*(n|no)\s*$/i.test(line)) return "quit";
    write(note("Press Enter to continue or n to stop, or type /back, /restart, /next or /quit."));
  }
}

async function nextExample(
  examples: AsyncIterator<KeyedExample>,
  showsInstructions: boolean,
): Promise<ExamplePlay | undefined> {
  const next = await examples.next();
  return next.done === true
    ? undefined
    : { keyed: next.value, attempt: 0, history: [], showsInstructions };
}

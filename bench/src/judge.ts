import { setTimeout as sleep } from "node:timers/promises";

import {
  assistantMessage,
  defineEnvironment,
  evaluate,
  type Model,
  textOf,
  userMessage,
} from "@envs/core";
import { choices, judge } from "@envs/scores";

import { best, type Figure, seconds } from "./figure.ts";

const [rollouts, concurrency, delay] = [2000, 64, 100];

const question = "Is this reply polite? It is one of a thousand replies.";

/** An environment whose replies all differ, or are all equal, with a judge or without. */
function polite(isJudged: boolean) {
  return defineEnvironment({
    name: "polite",
    *dataset() {
      for (let number = 0; ; number += 1) yield { prompt: `Greet guest ${number}.` };
    },
    rubric: {
      polite: isJudged
        ? judge({ prompt: `${question} {reply}`, verdict: choices("no", "yes") })
        : () => 1,
    },
  })();
}

const verdict = { message: assistantMessage("It greets.\nVerdict: yes"), finish: "stop" } as const;
const instant: Model = async () => verdict;
const slow: Model = async () => sleep(delay, verdict);
const echo: Model = async ({ messages }) => ({
  message: assistantMessage(textOf(messages.at(-1)!.content)),
  finish: "stop",
});
const equal: Model = async () => ({ message: assistantMessage("Hello."), finish: "stop" });

async function play(model: Model, answering: Model | undefined): Promise<void> {
  const { counts } = await evaluate(polite(answering !== undefined), {
    model,
    judge: answering,
    examples: rollouts,
    rolloutsPerExample: 1,
    concurrency,
    judgeConcurrency: concurrency,
  });
  if (counts.scored !== rollouts) throw new Error("A rollout was not judged.");
}

/** The same calls without an engine, at the same concurrency. */
async function callBare(): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    for (; next < rollouts;) {
      next += 1;
      const messages = [userMessage(`${question} Greet guest ${next}.`)];
      await slow({ messages, signal: new AbortController().signal });
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
}

/** What a judge adds to a rollout, beside its own answer. */
export async function judging(): Promise<readonly Figure[]> {
  const measure = (work: () => Promise<void>): Promise<number> => best(3, () => seconds(work));
  const unjudged = await measure(() => play(echo, undefined));
  const judged = await measure(() => play(echo, instant));
  const cached = await measure(() => play(equal, instant));
  const waiting = await measure(() => play(echo, slow));
  const bare = await measure(callBare);
  const microseconds = (time: number): number => ((time - unjudged) / rollouts) * 1e6;
  return [
    {
      name: `2,000 rollouts with a judge of ${delay} ms: time / the same calls without an engine`,
      value: waiting / bare,
      unit: "×",
      aim: { at: "most", value: 1.25 },
    },
    {
      name: "a question to an instant judge, per rollout",
      value: microseconds(judged),
      unit: "µs",
    },
    { name: "a question that was asked before", value: microseconds(cached), unit: "µs" },
  ];
}

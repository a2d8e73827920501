import type { Rollout } from "@envs/core";

import type { SuitePlan } from "./options.ts";
import type { ExampleOutcome } from "./outcome.ts";
import { excerpt } from "./titles.ts";

/** Why the test of an example fails; `undefined` if it passes. */
export function exampleProblem(
  outcome: ExampleOutcome,
  { each, passThreshold }: Pick<SuitePlan, "each" | "passThreshold">,
): string | undefined {
  const { verdict, trials } = outcome;
  if (verdict === "failed") return failedText(trials);
  const isAccepted =
    verdict === "passed" || each === "none" || (verdict === "flaky" && each === "some");
  if (isAccepted) return undefined;
  const worst = trials.find((trial) => trial.status === "scored" && trial.reward < passThreshold)!;
  return [
    `${verdictText(outcome)}. A trial passes with a reward of at least ${passThreshold}.`,
    ...trials.map(trialText),
    `The last reply of trial ${worst.rolloutIndex}: ${JSON.stringify(excerpt(replyOf(worst), 300))}`,
  ].join("\n");
}

/** The verdict of an example, as text. */
export function verdictText({ verdict, passed, trials }: ExampleOutcome): string {
  const noun = trials.length === 1 ? "trial" : "trials";
  return `${verdict}: ${passed} of ${trials.length} ${noun} passed`;
}

function failedText(trials: readonly Rollout[]): string {
  const failed = trials.filter((trial) => trial.status === "failed");
  const messages = [...Map.groupBy(failed, ({ error }) => error.code)].map(([code, ofCode]) => {
    const others = ofCode.length === 1 ? "" : ` (one of ${ofCode.length} such errors)`;
    return `${code}${others}: ${ofCode[0]!.error.message}`;
  });
  const noun = trials.length === 1 ? "trial" : "trials";
  return [
    `failed: ${failed.length} of ${trials.length} ${noun} could not be finished, which is not a reward of 0.`,
    ...messages,
  ].join("\n");
}

function trialText(trial: Rollout): string {
  if (trial.status === "failed") return `  trial ${trial.rolloutIndex}: ${trial.error.code}`;
  const scores = Object.entries(trial.scores).flatMap(([name, value]) =>
    value === null ? [] : [`${name} ${round(value)}`],
  );
  const why = Object.entries(trial.feedback ?? {}).map(
    ([name, text]) => `\n    ${name}: ${excerpt(text, 200)}`,
  );
  return `  trial ${trial.rolloutIndex}: reward ${round(trial.reward)} (${scores.join(", ")}), stopped by ${trial.stopReason}${why.join("")}`;
}

function replyOf({ trajectory }: Rollout): string {
  return trajectory.at(-1)?.message.content ?? "";
}

function round(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}

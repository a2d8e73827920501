import { ConfigError, type Environment, type JudgePrompt } from "@envs/core";
import { judgedScores } from "@envs/core/engine";

import {
  type Agreement,
  agreementOf,
  baseRateOf,
  type Bounds,
  confusionOf,
  intervalsOf,
  selfConsistency,
} from "./agreement.ts";
import type { JudgedReplies } from "./judge-replies.ts";
import type { LabelledReply } from "./labelled-replies.ts";

/** The comparison of a judge with people. It is valid for these models and this prompt only. */
export interface Calibration {
  readonly environment: string;
  readonly score: string;
  readonly judges: readonly string[];
  /** The hash of the judge's prompt, as runs record it. */
  readonly prompt: string | null;
  readonly replies: number;
  readonly repetitions: number;
  /** The number of verdicts, and of answers without one. */
  readonly verdicts: number;
  readonly failed: number;
  readonly consistency: number | null;
  readonly figures: Agreement;
  readonly intervals: { readonly [Figure in keyof Agreement]: Bounds };
  /** The results of a judge that always gives the most frequent label. Its κ is 0. */
  readonly constant: { readonly label: string; readonly agreement: number };
  /** The labels and verdicts of the table, the worst first. */
  readonly categories: readonly string[];
  /** Counts by label (rows) and verdict (columns). */
  readonly confusion: readonly (readonly number[])[];
}

/** A judged score of an environment. */
export interface JudgedScore {
  readonly name: string;
  readonly judge: JudgePrompt | undefined;
}

/** Finds the score to calibrate: the one that the user named, or the only one. */
export function judgedScoreOf(environment: Environment, name: string | undefined): JudgedScore {
  const scores = judgedScores(environment);
  const names = scores.map((score) => score.name).join(", ");
  if (scores.length === 0)
    throw new ConfigError(`${environment.name} has no score that asks a judge.`);
  const score = name === undefined ? scores[0]! : scores.find((each) => each.name === name);
  if (score === undefined)
    throw new ConfigError(
      `${environment.name} has no judged score ${JSON.stringify(name)}. It has: ${names}.`,
    );
  if (name === undefined && scores.length > 1)
    throw new ConfigError(
      `${environment.name} has several judged scores: ${names}. Choose one with --score.`,
    );
  return { name: score.name, judge: score.judge };
}

interface Subject {
  readonly environment: Environment;
  readonly score: JudgedScore;
  readonly judges: readonly string[];
  readonly repetitions: number;
}

/** Compares verdicts with labels. Throws a `ConfigError` if no answer has a verdict. */
export function calibrate(
  { environment, score, judges, repetitions }: Subject,
  replies: readonly LabelledReply[],
  { verdicts, failures }: JudgedReplies,
): Calibration {
  if (verdicts.length === 0)
    throw new ConfigError(`No answer of the judge has a verdict. ${failures[0] ?? ""}`);
  const { choices } = score.judge ?? {};
  const values = verdicts.flatMap(({ label, verdict }) => [label, verdict]);
  const categories = [...new Set([...Object.values(choices ?? {}), ...values])].toSorted(
    (a, b) => a - b,
  );
  const confusion = confusionOf(verdicts, categories);
  const { label, share } = baseRateOf(replies.map((reply) => reply.label));
  const nameOf = (value: number): string => nameIn(choices, value);
  return {
    environment: environment.name,
    score: score.name,
    judges,
    prompt: score.judge?.prompt ?? null,
    replies: replies.length,
    repetitions,
    verdicts: verdicts.length,
    failed: failures.length,
    consistency: selfConsistency(verdicts),
    figures: agreementOf(confusion),
    intervals: intervalsOf(verdicts, categories),
    constant: { label: nameOf(label), agreement: share },
    categories: categories.map(nameOf),
    confusion,
  };
}

function nameIn(choices: Readonly<Record<string, number>> | undefined, value: number): string {
  const names = Object.entries(choices ?? {}).flatMap(([name, each]) =>
    each === value ? name : [],
  );
  return names.length === 0 ? String(Number(value.toFixed(3))) : names.join(" / ");
}

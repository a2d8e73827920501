import { ConfigError } from "@envs/core";
import * as z from "zod";

import { readJson } from "../structure/read-json.ts";

/** The meaning of one answer of a judge. */
export interface Opinion {
  /** The score, from 0 to 1 unless the author set other values. */
  readonly score: number;
  /** The verdict as the judge wrote it, such as `partly` or `4 of 5`. */
  readonly label: string;
  readonly explanation: string;
}

/** How to combine several opinions. A tie goes to the lower score. */
export type Combination = "majority" | "median" | "mean";

/** The form in which a judge answers. */
export interface Verdict {
  /** The end of the prompt, which states the form of the verdict. */
  readonly instruction: string;
  readonly range: readonly [number, number] | undefined;
  /** The values of choices, the worst first. */
  readonly choices?: Readonly<Record<string, number>> | undefined;
  /** Default of `combine`. */
  readonly combine: Combination;
  /** Reads the verdict of an answer; `undefined` if it is not valid. */
  read(verdict: string): Omit<Opinion, "explanation"> | undefined;
}

/**
 * A verdict that is one of several choices, the worst first: `choices("no", "partly", "yes")` is 0, 0.5 and 1. A record sets
 * other values: `choices({ no: 0, partly: 0.2, yes: 1 })`.
 */
export function choices(...names: readonly [string, string, ...string[]]): Verdict;
export function choices(values: Readonly<Record<string, number>>): Verdict;
export function choices(...names: readonly (string | Readonly<Record<string, number>>)[]): Verdict {
  const [first] = names;
  const values = typeof first === "object" ? first : evenly(names as readonly string[]);
  const list = Object.keys(values);
  const byName = new Map(list.map((name) => [normal(name), name]));
  if (list.length < 2 || byName.size < list.length)
    throw new ConfigError(
      `choices() requires at least two different choices, the worst first. It has: ${list.join(", ") || "none"}.`,
    );
  const scores = Object.values(values);
  if (!scores.every(Number.isFinite))
    throw new ConfigError(
      `The values of choices() are ${scores.join(", ")}. Each is a finite number.`,
    );
  return {
    instruction: `${explain}Verdict: <one of: ${list.join(", ")}>`,
    range: [Math.min(...scores), Math.max(...scores)],
    choices: values,
    combine: "majority",
    read(verdict) {
      const label = byName.get(normal(verdict));
      return label === undefined ? undefined : { score: values[label]!, label };
    },
  };
}

function evenly(names: readonly string[]): Readonly<Record<string, number>> {
  return Object.fromEntries(names.map((name, index) => [name, index / (names.length - 1)]));
}

/** A verdict that is a number from `min` to `max`, scaled to a score from 0 to 1: `grade(1, 5)`. */
export function grade(min: number, max: number): Verdict {
  if (!(min < max && Number.isFinite(max - min)))
    throw new ConfigError(`grade(${min}, ${max}) requires two finite numbers, the smaller first.`);
  return {
    instruction: `${explain}Verdict: <a number from ${min} to ${max}>`,
    range: [0, 1],
    combine: "median",
    read(verdict) {
      const [, digits] = /^(-?\d+(?:\.\d+)?)(?:\s*\/\s*\d+)?$/.exec(normal(verdict)) ?? [];
      const value = Number(digits);
      if (digits === undefined || value < min || value > max) return undefined;
      const [, out] = /\/\s*(\d+)$/.exec(normal(verdict)) ?? [];
      if (out !== undefined && Number(out) !== max) return undefined;
      return { score: (value - min) / (max - min), label: `${value} of ${max}` };
    },
  };
}

/** A verdict that is JSON of a zod schema: `structure(z.object({ errors: z.int() }), ({ errors }) => 1 / (1 + errors))`. */
export function structure<Schema extends z.ZodType>(
  schema: Schema,
  score: (value: z.output<Schema>) => number,
): Verdict {
  const { $schema: _, ...form } = z.toJSONSchema(schema, { io: "input" });
  return {
    instruction: `${explain}Verdict: <JSON that fits this schema: ${JSON.stringify(form)}>`,
    range: undefined,
    combine: "mean",
    read(verdict) {
      const json = verdict.replace(/^```\w*\n?/, "").replace(/```$/, "");
      const parsed = schema.safeParse(readJson(json)?.value);
      if (!parsed.success) return undefined;
      return { score: score(parsed.data), label: JSON.stringify(parsed.data) };
    },
  };
}

const explain =
  "First explain your verdict in a few sentences. Then end your answer with a line of this form, and nothing after it:\n";

/** Ignores what does not change a verdict: case, emphasis of Markdown, a full stop at its end. */
function normal(text: string): string {
  return text
    .replaceAll(/[*_`"]/g, "")
    .trim()
    .replace(/\.$/, "")
    .toLowerCase();
}

const marker = /^[ \t>#*_-]*verdict[*_]*[ \t]*:[*_]*/gim;

/**
 * Reads an answer. The text after its last `Verdict:` at the start of a line must be the whole verdict; words elsewhere do not
 * count.
 */
export function readOpinion(verdict: Verdict, answer: string): Opinion | undefined {
  const last = [...answer.matchAll(marker)].at(-1);
  if (last === undefined) return undefined;
  const read = verdict.read(answer.slice(last.index + last[0].length).trim());
  if (read === undefined) return undefined;
  return { ...read, explanation: answer.slice(0, last.index).trim() };
}

import type { Message } from "@envs/core";
import { canonicalJson, messageOf } from "@envs/core/engine";

import { excerpt } from "../conversation.ts";
import { observeElsewhere } from "../elsewhere/observe-elsewhere.ts";
import type { ObservationTask, Observed, Variation } from "../elsewhere/task.ts";
import { counted, type Evidence, notTried, outcome, type Rule } from "../rule.ts";
import type { Subject } from "../subject.ts";

const descriptions: Readonly<Record<Exclude<Variation, "same">, string>> = {
  timezone: "in another timezone (Pacific/Kiritimati)",
  locale: "with another locale (tr_TR)",
  clock: "400 days and 7 hours later",
  cpus: "with another number of processors",
};

export const determinism: Rule = {
  id: "determinism",
  severity: "high",
  asks: "The same seed and the same replies give the same examples, messages and rewards everywhere.",
  decides:
    "Processes with another timezone, locale, clock and number of processors read the dataset and repeat the replies of the best and of silent rollouts, without a judge; a process like this one does so too, twice. A finding is a difference between two of them.",
  remedy:
    "Draw from the `random` of the context instead of `Math.random`, `Date.now` and `randomUUID`. Pass a locale and a timezone to functions of Intl; compare with `<` instead of `localeCompare`. Do not race calls.",

  async check(subject) {
    const { module } = subject;
    if (module === undefined) return notTried("no module that another process can load");
    const task = { ...taskOf(subject), module };
    const base = await observed({ ...task, variation: "same" }, subject.signal);
    if ("problem" in base) return notTried(`another process cannot play it: ${base.problem}`);
    const variations = ["same", ...Object.keys(descriptions)] as readonly Variation[];
    const evidence: Evidence[] = [];
    for (const variation of variations) {
      const other = await observed({ ...task, variation }, subject.signal);
      const found = difference(task, base, other);
      if (found === undefined) continue;
      const where = variation === "same" ? "in a second process" : descriptions[variation];
      evidence.push({
        variant: variation === "same" ? "repetition" : variation,
        message: `${found.what} ${where}`,
        conversations: found.pair.map((messages, at) =>
          excerpt(at === 0 ? "in this process" : where, `example ${found.position}`, messages),
        ),
      });
      // Ignores values that also differ without a variation.
      if (variation === "same") break;
    }
    return outcome(
      `${counted(variations.length, "process").replace("processs", "processes")}, ${counted(task.played.length, "rollout")} each`,
      evidence,
    );
  },
};

function taskOf({
  environment,
  seed,
  split,
  cases,
}: Subject): Omit<ObservationTask, "module" | "variation"> {
  return {
    config: environment.config,
    seed,
    split,
    count: cases.length,
    played: cases.flatMap(({ best, silence }, position) => [
      { position, completion: best.completion },
      { position, completion: silence.completion },
    ]),
  };
}

async function observed(
  task: ObservationTask,
  signal: AbortSignal,
): Promise<Observed | { readonly problem: string }> {
  try {
    return await observeElsewhere(task, signal);
  } catch (error) {
    signal.throwIfAborted();
    return { problem: messageOf(error) };
  }
}

interface Difference {
  readonly what: string;
  readonly position: number;
  readonly pair: readonly (readonly Message[])[];
}

function difference(
  { played }: Pick<ObservationTask, "played">,
  base: Observed,
  other: Observed | { readonly problem: string },
): Difference | undefined {
  if ("problem" in other)
    return { what: `It cannot be played (${other.problem})`, position: 0, pair: [] };
  const row = base.rows.findIndex((text, at) => text !== other.rows[at]);
  if (row >= 0) {
    const texts = [base.rows[row] ?? "", other.rows[row] ?? "(no such row)"];
    return {
      what: `Example ${row} of the dataset differs`,
      position: row,
      pair: texts.map((content) => [{ role: "user", content }] as const),
    };
  }
  for (const [at, left] of base.played.entries()) {
    const right = other.played[at];
    const position = played[at]?.position ?? 0;
    const pair = [left.messages, right?.messages ?? []];
    if (canonicalJson(left.messages) !== canonicalJson(right?.messages))
      return {
        what: `The environment's messages to the same replies differ${right?.error === undefined ? "" : ` (${right.error})`}`,
        position,
        pair,
      };
    if (left.reward !== right?.reward)
      return {
        what: `The same replies earn ${left.reward} here and ${right?.reward ?? "nothing"}`,
        position,
        pair,
      };
  }
  return undefined;
}

import { describeContent } from "@envs/core/engine";

import { percent } from "../probe.ts";
import {
  arePromptsDistinct,
  maxRows,
  normalized,
  readSplits,
  type RowText,
  type SplitRows,
  unreadable,
} from "../rows.ts";
import { counted, type Evidence, notTried, outcome, type Rule } from "../rule.ts";
import type { Case } from "../subject.ts";
import { copies, nearCopies, pairEvidence } from "./duplicates.ts";

const minOverlap = 0.8;
const maxNearShare = 0.01;

export const contamination: Rule = {
  id: "contamination",
  severity: "high",
  asks: "Training rows and prompts do not contain evaluation rows.",
  decides: `Reads the first ${maxRows} rows of each split, and the few-shot messages. A finding is a row of one split that is equal to a row of another except for its id, has its prompt after case and punctuation outside of code blocks are removed, or, for more than 1% of the rows, shares 80% of its sequences of five words and all other fields; and an example whose prompt is in the few-shot messages. Prompts are not compared where most are equal, as in games.`,
  remedy:
    "Divide rows by their content: `dataset.split(rows, { train: 9, eval: 1 })`. Draw few-shot messages from other rows.",

  async check(subject) {
    const splits = await readSplits(subject.environment, subject);
    const readable = splits.filter(({ rows }) => rows.length > 0);
    const shown = fewShotOf(subject.cases);
    if (readable.length < 2 && shown.size === 0)
      return notTried(`fewer than two splits that can be read${unreadable(splits)}`);
    const pairs = readable.flatMap((left, at) =>
      readable.slice(at + 1).map((right) => [left, right] as const),
    );
    const inFewShot = readable.flatMap(({ rows }) => rows).find(({ normal }) => shown.has(normal));
    return outcome(
      `${counted(pairs.length, "pair")} of splits, ${counted(shown.size, "few-shot message")}${unreadable(splits)}`,
      [
        ...pairs.flatMap(([left, right]) => between(left, right)),
        ...(inFewShot === undefined
          ? []
          : [
              pairEvidence(
                "few-shot",
                `A row of ${inFewShot.split} is among the few-shot messages`,
                [inFewShot, inFewShot],
              ),
            ]),
      ],
    );
  },
};

function between(left: SplitRows, right: SplitRows): readonly Evidence[] {
  const names = `${left.name} and ${right.name}`;
  const rows = [...uniqueBy(left.rows, "content"), ...uniqueBy(right.rows, "content")];
  const equal = copies(rows, ({ content }) => content);
  const evidence: Evidence[] = [];
  if (equal.length > 0)
    evidence.push(
      pairEvidence("equal", `${counted(equal.length, "row")} of ${names} are equal`, equal[0]!),
    );
  if (!arePromptsDistinct(left.rows) || !arePromptsDistinct(right.rows)) return evidence;
  const prompts = [...uniqueBy(left.rows, "normal"), ...uniqueBy(right.rows, "normal")];
  const same = copies(prompts, ({ normal }) => normal).filter(([a, b]) => a.content !== b.content);
  if (same.length > 0)
    evidence.push(
      pairEvidence(
        "same-prompt",
        `${counted(same.length, "prompt")} of ${left.name} are also in ${right.name}`,
        same[0]!,
      ),
    );
  const near = nearCopies(prompts, minOverlap).filter(([a, b]) => a.split !== b.split);
  const affected = new Set(near.map(([, row]) => row.key)).size;
  if (affected > maxNearShare * right.rows.length)
    evidence.push(
      pairEvidence(
        "near",
        `${affected} of ${counted(right.rows.length, "row")} of ${right.name} share at least ${percent(minOverlap)} of their word sequences with a row of ${left.name} of the same answer`,
        near[0]!,
      ),
    );
  return evidence;
}

function uniqueBy(rows: readonly RowText[], field: "content" | "normal"): readonly RowText[] {
  return [...new Map(rows.map((row) => [row[field], row])).values()];
}

/** The normalized texts of the user's few-shot messages, which all examples share. */
function fewShotOf(cases: readonly Case[]): ReadonlySet<string> {
  const [first] = cases;
  if (first === undefined) return new Set();
  const { prompt } = first.keyed.example;
  const own = typeof prompt === "string" ? 1 : prompt.length;
  const shared = first.best.prompt.slice(0, -own).filter(({ role }) => role === "user");
  return new Set(shared.map(({ content }) => normalized(describeContent(content))));
}

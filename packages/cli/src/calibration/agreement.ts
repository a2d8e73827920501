import { random } from "@envs/core";

/** One verdict on one reply, with the human label. */
export interface LabelledVerdict {
  readonly reply: number;
  readonly label: number;
  readonly verdict: number;
}

/** The agreement of verdicts with labels. */
export interface Agreement {
  /** The share of verdicts that equal their label. */
  readonly agreement: number;
  /** Cohen's κ; `null` if all labels and verdicts are the same, so that it is undefined. */
  readonly kappa: number | null;
  /** κ of ordered choices, which weights a disagreement by the square of its distance. */
  readonly weightedKappa: number | null;
}

/** The bounds of a 95 % interval; `null` if no resample has a value. */
export type Bounds = readonly [number, number] | null;

/** Counts verdicts by label (rows) and verdict (columns), in the order of `categories`. */
export function confusionOf(
  pairs: readonly LabelledVerdict[],
  categories: readonly number[],
): readonly (readonly number[])[] {
  const table = categories.map(() => categories.map(() => 0));
  for (const { label, verdict } of pairs)
    table[categories.indexOf(label)]![categories.indexOf(verdict)]! += 1;
  return table;
}

export function agreementOf(table: readonly (readonly number[])[]): Agreement {
  const size = table.length;
  const furthest = Math.max(1, size - 1) ** 2;
  const isOther = (row: number, column: number): number => (row === column ? 0 : 1);
  const squared = (row: number, column: number): number => (row - column) ** 2 / furthest;
  return {
    agreement: 1 - disagreement(table, isOther).observed,
    kappa: kappaOf(table, isOther),
    weightedKappa: kappaOf(table, squared),
  };
}

type Weight = (row: number, column: number) => number;

function kappaOf(table: readonly (readonly number[])[], weight: Weight): number | null {
  const { observed, expected } = disagreement(table, weight);
  return expected === 0 ? null : 1 - observed / expected;
}

/** The weighted share of disagreements: the observed one, and the one expected by chance for the same frequencies. */
function disagreement(
  table: readonly (readonly number[])[],
  weight: Weight,
): { readonly observed: number; readonly expected: number } {
  const rows = table.map((row) => sum(row));
  const columns = table.map((_, column) => sum(table.map((row) => row[column]!)));
  const total = sum(rows);
  let observed = 0;
  let expected = 0;
  for (const [row, counts] of table.entries())
    for (const [column, count] of counts.entries()) {
      observed += (weight(row, column) * count) / total;
      expected += (weight(row, column) * rows[row]! * columns[column]!) / total ** 2;
    }
  return { observed, expected };
}

const resamples = 2000;

/**
 * The 95 % interval of each figure, by bootstrap over the replies: the verdicts of one reply stay together, because they are not
 * independent.
 */
export function intervalsOf(
  pairs: readonly LabelledVerdict[],
  categories: readonly number[],
): { readonly [Figure in keyof Agreement]: Bounds } {
  const replies = [...Map.groupBy(pairs, ({ reply }) => reply).values()];
  const draw = random("calibration");
  const drawn = Array.from({ length: resamples }, () => {
    const resample = replies.flatMap(() => draw.pick(replies));
    return agreementOf(confusionOf(resample, categories));
  });
  const bounds = (figure: keyof Agreement): Bounds => {
    const values = drawn.flatMap((each) => each[figure] ?? []).toSorted((a, b) => a - b);
    const at = (share: number): number => values[Math.round(share * (values.length - 1))]!;
    return values.length === 0 ? null : [at(0.025), at(0.975)];
  };
  return {
    agreement: bounds("agreement"),
    kappa: bounds("kappa"),
    weightedKappa: bounds("weightedKappa"),
  };
}

/** The share of pairs of verdicts on the same reply that are equal; `null` with one verdict a reply. */
export function selfConsistency(pairs: readonly LabelledVerdict[]): number | null {
  let equal = 0;
  let count = 0;
  for (const verdicts of Map.groupBy(pairs, ({ reply }) => reply).values())
    for (const [index, { verdict }] of verdicts.entries())
      for (const other of verdicts.slice(index + 1)) {
        count += 1;
        if (other.verdict === verdict) equal += 1;
      }
  return count === 0 ? null : equal / count;
}

/** The share of the most frequent label, which is the agreement of a judge that always gives this verdict. */
export function baseRateOf(labels: readonly number[]): {
  readonly label: number;
  readonly share: number;
} {
  const counts = [...Map.groupBy(labels, (label) => label)];
  const [label, { length }] = counts.toSorted(([, a], [, b]) => b.length - a.length)[0]!;
  return { label, share: length / labels.length };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

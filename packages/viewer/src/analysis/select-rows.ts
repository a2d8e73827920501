import type { RolloutRow } from "../run/run.ts";
import { createFields, type Fields, type FieldValue, parseWhere } from "../where/where.ts";

/** A filter and an order of rows. */
export interface RowSelection {
  /** An expression such as `win > 0 && turns < 5`. */
  readonly where: string;
  readonly status: string;
  /** A part of a mix; empty for all. */
  readonly part: string;
  /** A field, with `-` before it for descending order. Default: by example. */
  readonly sort: string;
  /** If given, only rows with these ids. */
  readonly ids?: ReadonlySet<string> | undefined;
}

const readers: Readonly<Record<string, (row: RolloutRow) => FieldValue>> = {
  reward: (row) => row.reward,
  turns: (row) => row.turns,
  tokens: ({ inputTokens, outputTokens }) =>
    inputTokens === null && outputTokens === null ? null : (inputTokens ?? 0) + (outputTokens ?? 0),
  seconds: (row) => row.seconds,
  cost: (row) => row.cost,
  truncated: (row) => Number(row.isTruncated),
  filtered: (row) => Number(row.isFiltered),
  status: (row) => row.status,
  stop: (row) => (row.status === "scored" ? row.ending : null),
  error: (row) => (row.status === "scored" ? null : row.ending),
  example: (row) => (Number.isNaN(Number(row.example)) ? null : Number(row.example)),
  rollout: (row) => row.rollout,
  part: (row) => row.mixPart,
};

/** The fields by which rows can be sorted, besides scores. */
export const sortFields = ["reward", "turns", "tokens", "seconds", "cost"] as const;

/** The fields that an expression can name: those of every row, then the scores. */
export function fieldsOfRows(rows: readonly RolloutRow[], scores: readonly string[]): Fields {
  const endings = (isScored: boolean): readonly string[] => [
    ...new Set(rows.flatMap((row) => ((row.status === "scored") === isScored ? [row.ending] : []))),
  ];
  return createFields([...Object.keys(readers), ...scores], {
    status: ["scored", "failed", "broken"],
    stop: endings(true),
    error: endings(false),
    part: partsOf(rows),
  });
}

/** The parts of a mix that rows name, in alphabetical order; none for other environments. */
export function partsOf(rows: readonly RolloutRow[]): readonly string[] {
  const parts = new Set(rows.flatMap(({ mixPart }) => (mixPart === undefined ? [] : [mixPart])));
  return [...parts].toSorted();
}

/** The value of a field or a score. A field hides a score of the same name. */
export function rowValue(row: RolloutRow, name: string): FieldValue {
  if (Object.hasOwn(readers, name)) return readers[name]!(row);
  return Object.hasOwn(row.scores, name) ? row.scores[name] : undefined;
}

/** Filters and sorts rows. Throws a `WhereError` for an expression with a mistake. */
export function selectRows(
  rows: readonly RolloutRow[],
  scores: readonly string[],
  { where, status, part, sort, ids }: RowSelection,
): readonly RolloutRow[] {
  const matches = where.trim() === "" ? () => true : parseWhere(where, fieldsOfRows(rows, scores));
  const selected = rows.filter(
    (row) =>
      (status === "" || isStatus(row, status)) &&
      (part === "" || row.mixPart === part) &&
      (ids === undefined || ids.has(row.id)) &&
      matches((name) => rowValue(row, name)),
  );
  if (sort === "") return selected;
  const isDescending = sort.startsWith("-");
  const name = isDescending ? sort.slice(1) : sort;
  // Rows without a value come last in both directions. The sort is stable, so equal rows stay in the order of examples.
  return selected.toSorted((a, b) => {
    const [left, right] = [rowValue(a, name), rowValue(b, name)];
    const [isLeft, isRight] = [typeof left === "number", typeof right === "number"];
    if (!isLeft || !isRight) return Number(isRight) - Number(isLeft);
    return isDescending ? Number(right) - Number(left) : Number(left) - Number(right);
  });
}

function isStatus(row: RolloutRow, status: string): boolean {
  if (status === "truncated") return row.isTruncated;
  return status === "failed" ? row.status !== "scored" : row.status === status;
}

import { clean, formatTable, paint } from "@envs/terminal";
import { widthOf } from "@envs/terminal/layout";

import { figure } from "./score-table.ts";
import type { TrainingRow } from "./training-view.ts";

const shares = new Set(["win", "draw", "loss", "format", "invalid"]);

/** What an evaluation came to: opponents and outcomes in percent as a table, other values on a line of their own. */
export function evaluationLines(row: TrainingRow, width: number): readonly string[] {
  const { opponents, others } = results(row);
  const metrics = [
    ...new Set([...opponents.values()].flatMap((values) => Array.from(values.keys()))),
  ];
  const heading = `evaluation at ${oneLine(row.phase)} ${row.step}`;
  const body = [...opponents].map(([opponent, values]) =>
    [`  ${oneLine(opponent)}`].concat(metrics.map((metric) => shown(metric, values.get(metric)))),
  );
  const tableUnder = (corner: string): string[] =>
    formatTable([[corner, ...metrics.map(oneLine)], ...body]).split("\n");
  const whole = tableUnder(heading);
  const [head = "", ...lines] = whole.every((line) => widthOf(line) <= width)
    ? whole
    : [heading, ...(opponents.size === 0 ? [] : tableUnder(""))];
  const rest = others.map(([name, value]) => `${oneLine(name)} ${figure(value)}`);
  return [paint("dim", head), ...lines, ...(rest.length === 0 ? [] : [`  ${rest.join(" · ")}`])];
}

/** The same on one line, for output that is no terminal. */
export function evaluationLine(row: TrainingRow): string {
  const { opponents, others } = results(row);
  const against = [...opponents].map(([opponent, values]) => {
    const figures = [...values].map(
      ([metric, value]) => `${oneLine(metric)} ${shown(metric, value)}`,
    );
    return `${oneLine(opponent)}: ${figures.join(", ")}`;
  });
  const rest = others.map(([name, value]) => `${oneLine(name)} ${figure(value)}`);
  return [`${oneLine(row.phase)} ${row.step} evaluation`, ...against, ...rest].join(" · ");
}

interface Results {
  readonly opponents: ReadonlyMap<string, ReadonlyMap<string, number | null>>;
  readonly others: readonly (readonly [string, number | null])[];
}

function results({ values }: TrainingRow): Results {
  const opponents = new Map<string, Map<string, number | null>>();
  const others: [string, number | null][] = [];
  for (const [name, value] of Object.entries(values)) {
    const slash = name.lastIndexOf("/");
    const opponent = name.slice(0, slash);
    if (slash <= 0 || name.startsWith("score/")) {
      others.push([name.replace("score/", ""), value]);
      continue;
    }
    const known = opponents.get(opponent) ?? new Map<string, number | null>();
    opponents.set(opponent, known.set(name.slice(slash + 1), value));
  }
  return { opponents, others };
}

function shown(metric: string, value: number | null | undefined): string {
  if (value === null || value === undefined || !shares.has(metric)) return figure(value);
  return `${Number((value * 100).toFixed(1))}%`;
}

/** Names come from configs and environments. */
function oneLine(text: string): string {
  return clean(text).replaceAll(/\s+/g, " ");
}

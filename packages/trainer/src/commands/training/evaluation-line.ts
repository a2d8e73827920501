import { clean, formatTable, paint } from "@envs/cli/kit";
import { widthOf, figure, percent } from "@envs/cli/kit/layout";

import type { MetricsRow } from "../../report/metrics.ts";

const shares = new Set(["win", "draw", "loss", "format", "invalid"]);

/** Formats an evaluation: a table of opponents and outcomes in percent, and a line with the other metrics. */
export function evaluationLines(row: MetricsRow, width: number): readonly string[] {
  const { opponents, others } = groupByOpponent(row);
  const metrics = [
    ...new Set([...opponents.values()].flatMap((values) => Array.from(values.keys()))),
  ];
  const heading = `evaluation at ${oneLine(row.phase)} ${row.step}`;
  const body = [...opponents].map(([opponent, values]) =>
    [`  ${oneLine(opponent)}`].concat(
      metrics.map((metric) => valueText(metric, values.get(metric))),
    ),
  );
  const tableWithCorner = (corner: string): string[] =>
    formatTable([[corner, ...metrics.map(oneLine)], ...body]).split("\n");
  const table = tableWithCorner(heading);
  const [head = "", ...lines] = table.every((line) => widthOf(line) <= width)
    ? table
    : [heading, ...(opponents.size === 0 ? [] : tableWithCorner(""))];
  const rest = others.map(([name, value]) => `${oneLine(name)} ${figure(value)}`);
  return [paint("dim", head), ...lines, ...(rest.length === 0 ? [] : [`  ${rest.join(" · ")}`])];
}

/** Formats an evaluation as one line, for output other than a terminal. */
export function evaluationLine(row: MetricsRow): string {
  const { opponents, others } = groupByOpponent(row);
  const against = [...opponents].map(([opponent, values]) => {
    const figures = [...values].map(
      ([metric, value]) => `${oneLine(metric)} ${valueText(metric, value)}`,
    );
    return `${oneLine(opponent)}: ${figures.join(", ")}`;
  });
  const rest = others.map(([name, value]) => `${oneLine(name)} ${figure(value)}`);
  return [`${oneLine(row.phase)} ${row.step} evaluation`, ...against, ...rest].join(" · ");
}

interface GroupedMetrics {
  readonly opponents: ReadonlyMap<string, ReadonlyMap<string, number | null>>;
  readonly others: readonly (readonly [string, number | null])[];
}

/** Metrics of an opponent are named `<opponent>/<metric>`. */
function groupByOpponent({ values }: MetricsRow): GroupedMetrics {
  const opponents = new Map<string, Map<string, number | null>>();
  const others: [string, number | null][] = [];
  for (const [name, value] of Object.entries(values)) {
    const slash = name.lastIndexOf("/");
    const opponent = name.slice(0, slash);
    if (slash <= 0 || name.startsWith("score/")) {
      others.push([name.replace("score/", ""), value]);
      continue;
    }
    const metrics = opponents.get(opponent) ?? new Map<string, number | null>();
    opponents.set(opponent, metrics.set(name.slice(slash + 1), value));
  }
  return { opponents, others };
}

function valueText(metric: string, value: number | null | undefined): string {
  if (value === null || value === undefined || !shares.has(metric)) return figure(value);
  return percent(value, 1);
}

/** Cleans names and messages, which come from configs, environments and servers. */
export function oneLine(text: string): string {
  return clean(text).replaceAll(/\s+/g, " ");
}

import { formatTable } from "../terminal/output.ts";
import { clean, paint } from "../terminal/text.ts";
import type { ComparedValue, RunComparison } from "./compare-runs.ts";

const verdicts: Readonly<Record<RunComparison["verdict"], string>> = {
  better: "better",
  worse: "worse",
  same: "no worse",
  unclear: "unclear",
};

/** Formats a comparison for a terminal. */
export function comparisonText(comparison: RunComparison): string {
  const { environment, models, regressions } = comparison;
  const color = comparison.isRegression ? "red" : "green";
  return [
    `${paint("bold", clean(environment))}: ${clean(models[0])} → ${clean(models[1])}`,
    paint(color, verdictLine(comparison)),
    "",
    formatTable([
      tableHead.map((head) => paint("dim", head)),
      ...comparison.values.map((value) => tableRow(value).map((cell) => clean(cell))),
    ]),
    ...(regressions.length === 0 ? [] : ["", "Examples that are worse:"]),
    ...regressions.map(
      ({ exampleIndex, exampleKey, before, after }) =>
        `  #${exampleIndex} ${clean(exampleKey)}: ${number(before)} → ${number(after)}`,
    ),
    ...notes(comparison).map((note, index) => `${index === 0 ? "\n" : ""}${clean(note)}`),
  ].join("\n");
}

/** Formats a comparison for a comment on a pull request. */
export function comparisonMarkdown(comparison: RunComparison): string {
  const { environment, regressions } = comparison;
  const line = (cells: readonly string[]): string => `| ${cells.map(markdown).join(" | ")} |`;
  return [
    `### ${markdown(environment)}: ${verdictLine(comparison)}`,
    "",
    line(tableHead),
    `| --- |${" ---: |".repeat(tableHead.length - 1)}`,
    ...comparison.values.map((value) => line(tableRow(value))),
    ...(regressions.length === 0
      ? []
      : [
          "",
          "<details><summary>Examples that are worse</summary>",
          "",
          line(["Example", "Before", "After"]),
          "| --- | ---: | ---: |",
          ...regressions.map(({ exampleIndex, exampleKey, before, after }) =>
            line([`#${exampleIndex} ${exampleKey}`, number(before), number(after)]),
          ),
          "",
          "</details>",
        ]),
    ...notes(comparison).map((note) => `\n${markdown(note)}`),
  ].join("\n");
}

const tableHead = [
  "",
  "before",
  "after",
  "difference",
  "95 % interval",
  "better",
  "worse",
  "equal",
];

function tableRow(value: ComparedValue): readonly string[] {
  const { name, before, after, interval, better, worse, equal } = value;
  const difference = before === null || after === null ? null : after - before;
  return [
    name,
    number(before),
    number(after),
    signed(difference),
    interval === null ? "" : `${signed(interval.low)} to ${signed(interval.high)}`,
    ...[better, worse, equal].map(String),
  ];
}

/** The verdict with the numbers behind it, without colours. */
function verdictLine({ verdict, isRegression, values }: RunComparison): string {
  const { name, interval, examples } = values[0]!;
  const range = interval === null ? "" : `${signed(interval.low)} to ${signed(interval.high)}`;
  const result = isRegression && verdict === "unclear" ? "may be worse" : `is ${verdicts[verdict]}`;
  return `${name} ${result}: ${range} on ${examples} examples`;
}

function notes({ failed, unpaired, differences }: RunComparison): readonly string[] {
  const [before, after] = failed;
  return [
    ...(before + after === 0
      ? []
      : [`Failed rollouts: ${before} → ${after}. They have no reward and count in no row.`]),
    ...(unpaired === 0 ? [] : [`${unpaired} examples that only one run has scored are left out.`]),
    ...differences.map((difference) => `Different ${difference}`),
  ];
}

function number(value: number | null): string {
  if (value === null) return "";
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(3);
}

function signed(value: number | null): string {
  return value === null ? "" : `${value >= 0 ? "+" : ""}${number(value)}`;
}

/** Escapes text of runs, which must not act as markup. */
function markdown(text: string): string {
  return text.replaceAll(/\s+/gu, " ").replaceAll(/[\\`*_[\]<>|#@]/gu, String.raw`\$&`);
}

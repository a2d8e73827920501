import { paint } from "@envs/cli/kit";
import { truncate, widthOf, figure, duration } from "@envs/cli/kit/layout";

import { evaluationLines, oneLine } from "./evaluation-line.ts";
import { meanOf, sparkline } from "./sparkline.ts";
import {
  recentMean,
  type TrainingPosition,
  positionOf,
  type MetricSeries,
  metricSeries,
  type TrainingView,
  usageOf,
} from "./training-view.ts";

/** A terminal's size. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/**
 * Formats a training run for a terminal: progress, metrics, speed, the last evaluation and message. Fits the terminal's
 * width and height, and drops the least important lines first.
 */
export function trainingLines(view: TrainingView, { columns, rows }: Size): readonly string[] {
  const width = columns - 1;
  const position = positionOf(view);
  const evaluation = view.rows.findLast(({ kind }) => kind === "eval");
  const message = view.message === undefined || view.message === "" ? [] : [oneLine(view.message)];
  const head = [
    headLine(view, position),
    bar(position, Math.min(width, 100)),
    paceLine(view, position),
  ];
  const table = evaluation === undefined ? [] : evaluationLines(evaluation, width);

  const requiredLines = head.length + message.length;
  const hasTable = requiredLines + 3 + table.length < rows;
  const metricRows = Math.max(0, rows - 1 - requiredLines - (hasTable ? table.length : 0));
  const metrics = metricLines(metricSeries(position.rows), width).slice(0, metricRows);
  const sections = [head, metrics, hasTable ? table : [], message].filter(
    (section) => section.length > 0,
  );
  const lineCount = sections.flat().length;
  const hasSeparators = lineCount + sections.length - 1 < rows;
  return sections
    .flatMap((section, index) => (hasSeparators && index > 0 ? [""].concat(section) : section))
    .slice(0, Math.max(1, rows - 1))
    .map((line) => truncate(line, width));
}

/** Formats a training run as one line without colours, for output other than a terminal. */
export function trainingLine(view: TrainingView): string {
  const position = positionOf(view);
  const last = position.rows.slice(-1);
  const figures = metricSeries(last).map(
    ({ label, values }) => `${oneLine(label)} ${brief(values[0])}`,
  );
  return [
    `${oneLine(position.phase)} ${position.step}/${position.steps}`,
    ...speeds(position),
    ...timeLeft(view, position),
    ...figures,
    ...usage(view),
  ].join(" · ");
}

function headLine({ title, phases }: TrainingView, position: TrainingPosition): string {
  const { phase, number, step, steps } = position;
  const phaseNumber = phases.length > 1 ? ` (${number} of ${phases.length})` : "";
  return [
    paint("bold", oneLine(title)),
    `${paint("bold", oneLine(phase))}${phaseNumber}`,
    `step ${step}/${steps}`,
  ].join(" · ");
}

function paceLine(view: TrainingView, position: TrainingPosition): string {
  const parts = [
    ...timeLeft(view, position),
    ...speeds(position),
    `${duration(view.seconds)} elapsed`,
    ...usage(view),
  ];
  return paint("dim", parts.join(" · "));
}

/** The tokens and the cost of a run on a service. */
function usage({ rows, hasTokenCounts }: TrainingView): string[] {
  if (hasTokenCounts !== true) return [];
  const { tokens, cost } = usageOf(rows);
  const total = `${tokens.toLocaleString("en")} tokens`;
  return cost === undefined ? [total] : [total, `cost ${cost.toFixed(2)}`];
}

/** The estimated time left in the phase, or in the run if the phase is the last. */
function timeLeft(
  { phases }: TrainingView,
  { left: seconds, number, phase }: TrainingPosition,
): string[] {
  if (seconds === undefined) return [];
  const scope = number < phases.length ? ` of ${oneLine(phase)}` : "";
  return [`${duration(seconds)}${scope} left`];
}

function bar({ step, steps }: TrainingPosition, width: number): string {
  const share = steps === 0 ? 0 : step / steps;
  const label = ` ${Math.floor(share * 100)}%`.padStart(5);
  const barWidth = Math.max(0, width - label.length);
  const filled = Math.round(share * barWidth);
  return paint("cyan", "━".repeat(filled)) + paint("dim", "─".repeat(barWidth - filled)) + label;
}

function speeds({ rows }: TrainingPosition): string[] {
  return [
    ["gamesPerSecond", "games/s"],
    ["tokensPerSecond", "tokens/s"],
  ].flatMap(([name, unit]) => {
    const speed = recentMean(rows, name!);
    if (speed === null) return [];
    return [
      `${speed < 10 ? figure(Number(speed.toFixed(1))) : Math.round(speed).toLocaleString("en")} ${unit}`,
    ];
  });
}

const gap = 4;

/** One line per metric, in two columns if the terminal is wide. */
function metricLines(series: readonly MetricSeries[], width: number): readonly string[] {
  const columnCount = width >= 110 && series.length > 4 ? 2 : 1;
  const columnWidth = Math.min(80, Math.floor((width - gap * (columnCount - 1)) / columnCount));
  const labels = series.map(({ label }) => truncate(oneLine(label), 18));
  const labelWidth = Math.max(0, ...labels.map(widthOf));
  const lines = series.map((metric, index) =>
    metricLine(metric, pad(labels[index]!, labelWidth), columnWidth),
  );
  const height = Math.ceil(lines.length / columnCount);
  return lines.slice(0, height).map((line, index) => {
    const secondColumn = lines[height + index];
    return secondColumn === undefined ? line : pad(line, columnWidth + gap) + secondColumn;
  });
}

/** The label, a curve, and the first and last values. Drops the first value, then the curve, if the line is too narrow. */
function metricLine({ values }: MetricSeries, label: string, width: number): string {
  const window = Math.min(5, Math.ceil(values.length / 4));
  const first = brief(meanOf(values.slice(0, window)));
  const last = brief(meanOf(values.slice(-window)));
  const wideCurve = width - widthOf(label) - 2 - 20;
  if (wideCurve >= 10)
    return `${label}  ${paint("cyan", sparkline(values, wideCurve))}  ${paint("dim", `${first} →`)} ${last}`;
  const narrowCurve = width - widthOf(label) - 2 - 10;
  return narrowCurve >= 4
    ? `${label}  ${paint("cyan", sparkline(values, narrowCurve))}  ${last}`
    : `${label}  ${last}`;
}

/** Formats three significant digits: further digits would flicker. */
function brief(value: number | null | undefined): string {
  return figure(typeof value === "number" ? Number(value.toPrecision(3)) : value);
}

function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}

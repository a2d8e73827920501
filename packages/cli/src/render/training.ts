import { clean, paint } from "@envs/terminal";
import { truncate, widthOf } from "@envs/terminal/layout";

import { figure } from "./score-table.ts";
import { meanOf, sparkline } from "./sparkline.ts";
import { duration } from "./time.ts";
import { evaluationLines } from "./training-evaluation.ts";
import {
  lately,
  type Position,
  positionOf,
  type Trace,
  tracesOf,
  type TrainingView,
} from "./training-view.ts";

/** How much room a terminal has. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/**
 * A training run in lines for a terminal: how far it is, what it learns, how fast, the last evaluation and message. No
 * line is wider than the terminal, and there are fewer of them than it has rows: what matters least goes first.
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

  const needed = head.length + message.length;
  const isTableShown = needed + 3 + table.length < rows;
  const room = Math.max(0, rows - 1 - needed - (isTableShown ? table.length : 0));
  const traces = traceLines(tracesOf(position.rows), width).slice(0, room);
  const sections = [head, traces, isTableShown ? table : [], message].filter(
    (section) => section.length > 0,
  );
  const lines = sections.flat().length;
  const isRoomy = lines + sections.length - 1 < rows;
  return sections
    .flatMap((section, index) => (isRoomy && index > 0 ? [""].concat(section) : section))
    .slice(0, Math.max(1, rows - 1))
    .map((line) => truncate(line, width));
}

/** A training run on one line without colours, for output that is no terminal. */
export function trainingLine(view: TrainingView): string {
  const position = positionOf(view);
  const last = position.rows.slice(-1);
  const figures = tracesOf(last).map(
    ({ label, values }) => `${oneLine(label)} ${brief(values[0])}`,
  );
  return [
    `${oneLine(position.phase)} ${position.step}/${position.steps}`,
    ...speeds(position),
    ...left(view, position),
    ...figures,
  ].join(" · ");
}

function headLine({ title, phases }: TrainingView, position: Position): string {
  const { phase, number, step, steps } = position;
  const place = phases.length > 1 ? ` (${number} of ${phases.length})` : "";
  return [
    paint("bold", oneLine(title)),
    `${paint("bold", oneLine(phase))}${place}`,
    `step ${step}/${steps}`,
  ].join(" · ");
}

function paceLine(view: TrainingView, position: Position): string {
  const parts = [...left(view, position), ...speeds(position), `${duration(view.seconds)} so far`];
  return paint("dim", parts.join(" · "));
}

/** What is left of the phase; of the run, if it is the last. */
function left({ phases }: TrainingView, { left: seconds, number, phase }: Position): string[] {
  if (seconds === undefined) return [];
  const whose = number < phases.length ? ` of ${oneLine(phase)}` : "";
  return [`${duration(seconds)}${whose} left`];
}

function bar({ step, steps }: Position, width: number): string {
  const share = steps === 0 ? 0 : step / steps;
  const label = ` ${Math.floor(share * 100)}%`.padStart(5);
  const room = Math.max(0, width - label.length);
  const filled = Math.round(share * room);
  return paint("cyan", "━".repeat(filled)) + paint("dim", "─".repeat(room - filled)) + label;
}

function speeds({ rows }: Position): string[] {
  return [
    ["gamesPerSecond", "games/s"],
    ["tokensPerSecond", "tokens/s"],
  ].flatMap(([name, unit]) => {
    const speed = lately(rows, name!);
    if (speed === null) return [];
    return [
      `${speed < 10 ? figure(Number(speed.toFixed(1))) : Math.round(speed).toLocaleString("en")} ${unit}`,
    ];
  });
}

const gap = 4;

/** One line for each trace; two traces on a line where the terminal is wide. */
function traceLines(traces: readonly Trace[], width: number): readonly string[] {
  const perLine = width >= 110 && traces.length > 4 ? 2 : 1;
  const cell = Math.min(80, Math.floor((width - gap * (perLine - 1)) / perLine));
  const labels = traces.map(({ label }) => truncate(oneLine(label), 18));
  const labelled = Math.max(0, ...labels.map(widthOf));
  const lines = traces.map((trace, index) => traceLine(trace, pad(labels[index]!, labelled), cell));
  const height = Math.ceil(lines.length / perLine);
  return lines.slice(0, height).map((line, index) => {
    const beside = lines[height + index];
    return beside === undefined ? line : pad(line, cell + gap) + beside;
  });
}

/** Name, curve over the phase, where it began and is now. What finds no room is left out: first the beginning. */
function traceLine({ values }: Trace, label: string, width: number): string {
  const few = Math.min(5, Math.ceil(values.length / 4));
  const first = brief(meanOf(values.slice(0, few)));
  const last = brief(meanOf(values.slice(-few)));
  const full = width - widthOf(label) - 2 - 20;
  if (full >= 10)
    return `${label}  ${paint("cyan", sparkline(values, full))}  ${paint("dim", `${first} →`)} ${last}`;
  const short = width - widthOf(label) - 2 - 10;
  return short >= 4
    ? `${label}  ${paint("cyan", sparkline(values, short))}  ${last}`
    : `${label}  ${last}`;
}

/** Three significant digits: more would flicker. */
function brief(value: number | null | undefined): string {
  return figure(typeof value === "number" ? Number(value.toPrecision(3)) : value);
}

function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}

/** Names and messages come from configs, environments and servers. */
function oneLine(text: string): string {
  return clean(text).replaceAll(/\s+/g, " ");
}

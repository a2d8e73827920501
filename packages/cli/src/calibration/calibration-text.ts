import { formatTable } from "../terminal/output.ts";
import { paint } from "../terminal/text.ts";
import { figure } from "../text/figures.ts";
import type { Bounds } from "./agreement.ts";
import type { Calibration } from "./calibration.ts";

/** Formats a calibration for the terminal. */
export function calibrationText(calibration: Calibration): string {
  const { environment, score, judges, prompt, replies, repetitions, failed } = calibration;
  const { figures, intervals, consistency, constant } = calibration;
  const row = (name: string, value: number | null, bounds: Bounds): string[] => [
    name,
    figure(value),
    bounds === null ? "" : `${figure(bounds[0])} … ${figure(bounds[1])}`,
  ];
  const table = formatTable([
    ["", "value", "95 %"].map((title) => paint("dim", title)),
    row("agreement with the labels", figures.agreement, intervals.agreement),
    row("Cohen's κ", figures.kappa, intervals.kappa),
    row("κ, weighted by distance²", figures.weightedKappa, intervals.weightedKappa),
    row(`a judge that always answers ${constant.label}`, constant.agreement, null),
    row("agreement with itself", consistency, null),
  ]);
  return [
    `${paint("bold", `${environment} · ${score}`)} judged by ${judges.join(", ")}, prompt ${prompt ?? "unknown"}`,
    `${replies} replies, each judged ${repetitions === 1 ? "once" : `${repetitions} times`}${failed === 0 ? "" : `; ${failed} answers without a verdict are left out`}`,
    "",
    table,
    "",
    confusionTable(calibration),
  ].join("\n");
}

function confusionTable({ categories, confusion }: Calibration): string {
  return formatTable([
    [paint("dim", "label \\ verdict"), ...categories.map((name) => paint("dim", name))],
    ...confusion.map((counts, index) => [categories[index]!, ...counts.map(String)]),
  ]);
}

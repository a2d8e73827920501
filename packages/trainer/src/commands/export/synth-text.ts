import { formatTable, paint } from "@envs/cli/kit";
import { percent } from "@envs/cli/kit/layout";

import type { SynthReport } from "./synth-report.ts";

export function synthReportText({ rollouts, kept, excluded, ...report }: SynthReport): string {
  const { lengths, fit } = report;
  const exclusions = excluded.filter(({ count }) => count > 0);
  const countWidth = Math.max(...exclusions.map(({ count }) => String(count).length));
  const lines = [
    `${paint("dim", "kept".padEnd(9))} ${paint("bold", `${kept} of ${rollouts} rollouts`)}`,
    ...exclusions.map(({ reason, count }, index) => {
      const label = index === 0 ? "excluded" : "";
      return `${paint("dim", label.padEnd(9))} ${String(count).padStart(countWidth)}  ${reason}`;
    }),
  ];
  const rows = Object.entries(lengths).flatMap(([unit, statistics]) => {
    if (statistics === undefined) return [];
    const { min, median, mean, p95, max } = statistics;
    const label = unit === "tokens" ? "tokens ≈" : unit;
    return [[label, ...[min, median, mean, p95, max].map(lengthText)]];
  });
  if (rows.length > 0) {
    const [heading = "", ...table] = formatTable([
      ["lengths", "min", "median", "mean", "95%", "max"],
      ...rows,
    ]).split("\n");
    lines.push("", paint("dim", heading), ...table);
  }
  if (fit !== undefined) {
    const share = percent(fit.share, 1);
    lines.push(`${paint("bold", `${share} fit`)} ${fit.sequenceLength} tokens`);
  }
  if (rows.length > 0) lines.push(paint("dim", "Tokens are estimated: one per four characters."));
  return lines.join("\n");
}

/** Converts a report to the output of `--json`. */
export function synthReportJson({ excluded, fit, ...report }: SynthReport): object {
  return {
    ...report,
    left_out: Object.fromEntries(excluded.map(({ reason, count }) => [reason, count])),
    tokens_are_estimated: true,
    ...(fit === undefined
      ? {}
      : { sequence_length: fit.sequenceLength, share_that_fits: fit.share }),
  };
}

function lengthText(value: number): string {
  return value < 100 ? String(Number(value.toFixed(1))) : String(Math.round(value));
}

import { formatTable, paint } from "@envs/terminal";

import type { SynthReport } from "../export/synth-report.ts";
import { percent } from "./score-table.ts";

/** What became of a run's rollouts, as a person reads it. */
export function synthReport({ rollouts, kept, leftOut, ...report }: SynthReport): string {
  const { lengths, isEstimate, fit } = report;
  const told = leftOut.filter(({ count }) => count > 0);
  const lines = [
    `${paint("dim", "kept".padEnd(9))} ${paint("bold", `${kept} of ${rollouts} rollouts`)}`,
    ...told.map(({ reason, count }, index) => {
      const label = index === 0 ? "left out" : "";
      return `${paint("dim", label.padEnd(9))} ${String(count).padStart(widest(told))}  ${reason}`;
    }),
  ];
  const rows = Object.entries(lengths).flatMap(([unit, spread]) =>
    spread === undefined
      ? []
      : [
          [
            unit === "tokens" && isEstimate ? "tokens ≈" : unit,
            ...[spread.min, spread.median, spread.mean, spread.p95, spread.max].map(whole),
          ],
        ],
  );
  if (rows.length > 0) {
    const [heading = "", ...table] = formatTable([
      ["lengths", "least", "median", "mean", "95%", "most"],
      ...rows,
    ]).split("\n");
    lines.push("", paint("dim", heading), ...table);
  }
  if (fit !== undefined) {
    const share = percent(fit.share, 1);
    lines.push(`${paint("bold", `${share} fit`)} ${fit.sequenceLength} tokens`);
  }
  if (rows.length > 0 && isEstimate)
    lines.push(paint("dim", "Tokens are estimated: one for four characters."));
  return lines.join("\n");
}

/** The same as a program reads it. */
export function synthJson({ leftOut, isEstimate, fit, ...report }: SynthReport): object {
  return {
    ...report,
    left_out: Object.fromEntries(leftOut.map(({ reason, count }) => [reason, count])),
    tokens_are_estimated: isEstimate,
    ...(fit === undefined
      ? {}
      : { sequence_length: fit.sequenceLength, share_that_fits: fit.share }),
  };
}

function widest(leftOut: SynthReport["leftOut"]): number {
  return Math.max(...leftOut.map(({ count }) => String(count).length));
}

function whole(value: number): string {
  return value < 100 ? String(Number(value.toFixed(1))) : String(Math.round(value));
}

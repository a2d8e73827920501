import type { MetricsRow } from "./metrics.ts";
import { outcomeColors, type Series, seriesOf } from "./series.ts";

/** Where a value is drawn: values with the same chart and curve make one line. */
export interface Place {
  readonly chart: string;
  readonly curve: string;
  readonly series: Series;
}

/** The chart and the curve of a value. */
export function placeOf(name: string, kind: MetricsRow["kind"]): Place {
  const slash = name.lastIndexOf("/");
  if (kind === "eval" && slash > 0 && !name.startsWith("score/")) {
    const opponent = name.slice(0, slash);
    const metric = name.slice(slash + 1);
    if (Object.hasOwn(outcomeColors, metric)) {
      const series = { title: opponent, unit: "% of games", isShare: true } as const;
      return {
        chart: `evaluation ${opponent}`,
        curve: metric,
        series: { ...series, section: "Evaluation" },
      };
    }
    const series: Series = { ...seriesOf(metric), section: "Evaluation" };
    return { chart: `evaluation of ${metric}`, curve: opponent, series };
  }
  const series = seriesOf(name);
  if (name !== "loss")
    return { chart: name, curve: kind === "eval" ? "evaluation" : "training", series };
  // The losses of the two kinds of training have nothing in common but the name.
  const title = { sft: "SFT loss", rl: "Policy loss", eval: "Evaluation loss" }[kind];
  const unit = kind === "rl" ? series.unit : "nats per token";
  return {
    chart: `${kind} loss`,
    curve: kind === "eval" ? "evaluation" : "training",
    series: { ...series, title, unit },
  };
}

import type { MetricsRow } from "./metrics.ts";

/** The sections of a report, in order. */
export const sections = ["Reward", "Evaluation", "Text", "Optimisation", "Speed"] as const;

export type Section = (typeof sections)[number];

/** How charts present a metric. */
export interface Series {
  readonly title: string;
  /** The unit, for the axis: `tokens per reply`. */
  readonly unit: string;
  readonly section: Section;
  /** Whether values are shares from 0 to 1, shown in percent. */
  readonly isShare?: boolean | undefined;
  /** Whether values span orders of magnitude, so that the axis is logarithmic. */
  readonly isLogarithmic?: boolean | undefined;
  /** Whether it is a setting rather than a measurement, so that it is not smoothed. */
  readonly isExact?: boolean | undefined;
}

const predefinedSeries: Readonly<Record<string, Series>> = {
  reward: { title: "Reward", unit: "mean per rollout", section: "Reward" },
  rewardDeviation: { title: "Reward deviation", unit: "within groups", section: "Reward" },
  zeroVariance: {
    title: "Zero-variance groups",
    unit: "% of groups",
    section: "Reward",
    isShare: true,
  },
  truncated: { title: "Truncated", unit: "% of rollouts", section: "Reward", isShare: true },
  failed: { title: "Failed", unit: "% of rollouts", section: "Reward", isShare: true },
  length: { title: "Length", unit: "tokens per reply", section: "Text" },
  turns: { title: "Turns", unit: "per rollout", section: "Text" },
  entropy: { title: "Entropy", unit: "nats per token", section: "Text" },
  entropyCoefficient: {
    title: "Entropy coefficient",
    unit: "per nat",
    section: "Optimisation",
    isExact: true,
  },
  loss: { title: "Loss", unit: "per token", section: "Optimisation" },
  gradientNorm: {
    title: "Gradient norm",
    unit: "before clipping",
    section: "Optimisation",
    isLogarithmic: true,
  },
  learningRate: {
    title: "Learning rate",
    unit: "per step",
    section: "Optimisation",
    isExact: true,
  },
  clipFraction: {
    title: "Clip fraction",
    unit: "% of tokens",
    section: "Optimisation",
    isShare: true,
  },
  kl: { title: "KL to the reference", unit: "nats per token", section: "Optimisation" },
  approxKl: {
    title: "KL to the sampling policy",
    unit: "nats per token",
    section: "Optimisation",
  },
  ratio: { title: "Importance ratio", unit: "mean per token", section: "Optimisation" },
  gamesPerSecond: { title: "Games", unit: "per second", section: "Speed" },
  tokensPerSecond: { title: "Tokens", unit: "per second", section: "Speed" },
  cost: { title: "Cost", unit: "so far", section: "Speed", isExact: true },
};

/** Returns the presentation of a metric: a predefined one, `score/<name>`, or any other. */
function seriesOf(name: string): Series {
  if (Object.hasOwn(predefinedSeries, name)) return predefinedSeries[name]!;
  if (name.startsWith("score/"))
    return { title: titleFrom(name.slice(6)), unit: "mean score", section: "Reward" };
  const isSpeed = name.endsWith("PerSecond");
  return { title: titleFrom(name), unit: "value", section: isSpeed ? "Speed" : "Optimisation" };
}

/** `invalidMove` → `Invalid move`. */
function titleFrom(name: string): string {
  const text = name.replaceAll(/(?<=[a-z\d])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The outcomes of games, each with a colour of Okabe and Ito's palette, which is safe for colour-blind readers. */
export const outcomeColors: Readonly<Record<string, string>> = {
  win: "#009e73",
  draw: "#0072b2",
  loss: "#d55e00",
  format: "#8a8a8a",
  invalid: "#cc79a7",
};

/** The curve of a metric. Values with the same chart and curve form one line. */
export interface CurveKey {
  readonly chart: string;
  readonly curve: string;
  readonly series: Series;
}

/** Returns the chart and the curve of a metric. */
export function curveKey(name: string, kind: MetricsRow["kind"]): CurveKey {
  const slash = name.lastIndexOf("/");
  if (kind === "eval" && slash > 0 && !name.startsWith("score/"))
    return opponentCurve(name.slice(0, slash), name.slice(slash + 1));
  if (name.startsWith("tokens/"))
    return {
      chart: "tokens",
      curve: name.slice("tokens/".length),
      series: { title: "Tokens", unit: "per step", section: "Speed" },
    };
  const curve = kind === "eval" ? "evaluation" : "training";
  const series = seriesOf(name);
  if (name !== "loss") return { chart: name, curve, series };
  // SFT and RL losses are different quantities, so they have different charts.
  const title = { sft: "SFT loss", rl: "Policy loss", eval: "Evaluation loss" }[kind];
  const unit = kind === "rl" ? series.unit : "nats per token";
  return { chart: `${kind} loss`, curve, series: { ...series, title, unit } };
}

/** Outcomes of games share one chart per opponent; other metrics have one chart with a curve per opponent. */
function opponentCurve(opponent: string, metric: string): CurveKey {
  if (!Object.hasOwn(outcomeColors, metric))
    return {
      chart: `evaluation of ${metric}`,
      curve: opponent,
      series: { ...seriesOf(metric), section: "Evaluation" },
    };
  return {
    chart: `evaluation ${opponent}`,
    curve: metric,
    series: { title: opponent, unit: "% of games", isShare: true, section: "Evaluation" },
  };
}

/** The part of a report that a curve belongs to, in the order of the report. */
export const sections = ["Reward", "Evaluation", "Text", "Optimisation", "Speed"] as const;

export type Section = (typeof sections)[number];

/** How a measured quantity is shown. */
export interface Series {
  readonly title: string;
  /** What one of its values is, for the axis: `tokens per reply`. */
  readonly unit: string;
  readonly section: Section;
  /** From 0 to 1, shown in percent. */
  readonly isShare?: boolean;
  /** Spans orders of magnitude. */
  readonly isLogarithmic?: boolean;
  /** Set rather than measured: not smoothed. */
  readonly isExact?: boolean;
}

const known: Readonly<Record<string, Series>> = {
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
};

/** The names that have a title and a unit of their own; others are shown under their name. */
export const knownSeries: readonly string[] = Object.keys(known);

/** How to show the series `name`: a known one, `score/<name>`, or any other. */
export function seriesOf(name: string): Series {
  if (Object.hasOwn(known, name)) return known[name]!;
  if (name.startsWith("score/"))
    return { title: words(name.slice(6)), unit: "mean score", section: "Reward" };
  const isSpeed = name.endsWith("PerSecond");
  return { title: words(name), unit: "value", section: isSpeed ? "Speed" : "Optimisation" };
}

/** `invalidMove` → `Invalid move`. */
function words(name: string): string {
  const text = name.replaceAll(/(?<=[a-z\d])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The outcomes of games, with one colour each (Okabe and Ito's, told apart by colour-blind readers too). */
export const outcomeColors: Readonly<Record<string, string>> = {
  win: "#009e73",
  draw: "#0072b2",
  loss: "#d55e00",
  format: "#8a8a8a",
  invalid: "#cc79a7",
};

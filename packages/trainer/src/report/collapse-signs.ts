import { formatNumber } from "./format-number.ts";
import type { MetricsRow } from "./metrics.ts";
import { smooth, smoothingRadius } from "./smoothing.ts";

/** A fall of the reward that counts, as a share of its range, which is taken as at least 0.2. */
const maxFall = 0.25;

/** A rise of the entropy that counts, in nats per token. */
const maxEntropyRise = 0.5;

/** A rise of the reward that counts, in standard deviations within a group. */
const minRise = 0.1;

/**
 * Finds signs of a collapsed training, as sentences: in any phase, losses or gradient norms that are not finite; in RL
 * phases, a reward that fell or never rose, a format score that fell, an entropy that rose, or that fell without a better
 * reward, a large change of reply length, or groups with equal rewards.
 */
export function collapseSigns(rows: readonly MetricsRow[]): readonly string[] {
  const phases = [...new Set(rows.map(({ phase }) => phase))];
  return phases.flatMap((phase) => {
    const phaseRows = rows.filter((row) => row.phase === phase && row.kind !== "eval");
    const signs = [
      ...nonFiniteSigns(phaseRows),
      ...(phaseRows[0]?.kind === "rl" ? rlSigns(phaseRows) : []),
    ];
    return signs.map((sign) => `${phase}: ${sign}`);
  });
}

function nonFiniteSigns(rows: readonly MetricsRow[]): string[] {
  return ["loss", "gradientNorm"].flatMap((name) => {
    const steps = rows.filter(({ values }) => values[name] === null).map(({ step }) => step);
    if (steps.length === 0) return [];
    const at =
      steps.length === 1 ? `step ${steps[0]}` : `${steps.length} steps, first step ${steps[0]}`;
    return [`${name} was not finite at ${at}. Lower the learning rate or the clip norm.`];
  });
}

function rlSigns(rows: readonly MetricsRow[]): string[] {
  const trendOf = (name: string) => curveTrend(rows, name);
  const signs: string[] = [];
  const reward = trendOf("reward");
  const hasFallen =
    reward !== undefined &&
    reward.max - reward.last > maxFall * Math.max(reward.max - reward.min, 0.2);
  const isFlat =
    reward !== undefined &&
    reward.max - reward.first < minRise * (trendOf("rewardDeviation")?.mean ?? 0);
  if (isFlat)
    signs.push(
      `the reward never rose: it was ${formatNumber(reward.first)} in the first steps and ${formatNumber(reward.last)} in the last. Read the saved rollouts. If the model rarely earns a reward, use easier examples or a longer sft phase; if it earns almost all, harder examples; otherwise, more groups per step.`,
    );
  if (hasFallen)
    signs.push(
      `the reward ended at ${formatNumber(reward.last)}, below its maximum of ${formatNumber(reward.max)} at step ${reward.maxStep}.`,
    );
  const format = trendOf("score/format");
  if (format !== undefined && format.max - format.last > 0.05)
    signs.push(
      `the format score fell from ${formatNumber(format.max)} to ${formatNumber(format.last)}: the model is losing the reply format.`,
    );
  const entropy = trendOf("entropy");
  const hasImproved = reward !== undefined && !hasFallen && !isFlat;
  if (
    entropy !== undefined &&
    entropy.last < 0.1 &&
    entropy.last < entropy.first / 4 &&
    // A model that has learned its task is sure of its replies.
    !hasImproved
  )
    signs.push(
      `the entropy fell from ${formatNumber(entropy.first)} to ${formatNumber(entropy.last)} nats per token: the model stopped exploring. Set loss.entropyTarget or raise the temperature.`,
    );
  if (entropy !== undefined && entropy.last - entropy.first > maxEntropyRise)
    signs.push(
      `the entropy rose from ${formatNumber(entropy.first)} to ${formatNumber(entropy.last)} nats per token: the replies became random. Set loss.entropyTarget instead of a constant loss.entropyCoefficient, or lower the learning rate.`,
    );
  const length = trendOf("length");
  if (length !== undefined && Math.max(length.last / length.first, length.first / length.last) > 2)
    signs.push(
      `the mean reply length went from ${formatNumber(length.first)} to ${formatNumber(length.last)} tokens.`,
    );
  const zeroVariance = trendOf("zeroVariance");
  if (zeroVariance !== undefined && zeroVariance.last > 0.9)
    signs.push(
      `${Math.round(zeroVariance.last * 100)} % of the last groups had equal rewards, which give no gradient. Choose harder examples or larger groups.`,
    );
  return signs;
}

interface Trend {
  readonly first: number;
  readonly last: number;
  readonly mean: number;
  readonly min: number;
  readonly max: number;
  readonly maxStep: number;
}

/** The ends and extremes of a smoothed curve. `undefined` if it has fewer than 16 values. */
function curveTrend(rows: readonly MetricsRow[], name: string): Trend | undefined {
  const points = rows.map(({ step, values }) => ({ x: step, y: values[name] ?? null }));
  const measured = smooth(points, smoothingRadius(points.length)).flatMap(({ x, y }) =>
    y === null ? [] : [{ x, y }],
  );
  const first = measured[0];
  const last = measured.at(-1);
  if (measured.length < 16 || first === undefined || last === undefined) return undefined;
  const max = measured.reduce((a, b) => (b.y > a.y ? b : a));
  const min = measured.reduce((a, b) => Math.min(a, b.y), Infinity);
  const mean = measured.reduce((sum, { y }) => sum + y, 0) / measured.length;
  return { first: first.y, last: last.y, mean, min, max: max.y, maxStep: max.x };
}

import { formatNumber } from "./format-number.ts";
import type { MetricsRow } from "./metrics.ts";
import { smooth, smoothingRadius } from "./smoothing.ts";

/**
 * Finds signs of a collapsed training, as sentences: in any phase, losses or gradient norms that are not finite; in RL
 * phases, a reward, format score or entropy that fell, a large change of reply length, or groups with equal rewards.
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
  if (
    reward !== undefined &&
    reward.max - reward.last > 0.25 * Math.max(reward.max - reward.min, 0.2)
  )
    signs.push(
      `the reward ended at ${formatNumber(reward.last)}, below its maximum of ${formatNumber(reward.max)} at step ${reward.maxStep}.`,
    );
  const format = trendOf("score/format");
  if (format !== undefined && format.max - format.last > 0.05)
    signs.push(
      `the format score fell from ${formatNumber(format.max)} to ${formatNumber(format.last)}: the model is losing the reply format.`,
    );
  const entropy = trendOf("entropy");
  if (entropy !== undefined && entropy.last < 0.1 && entropy.last < entropy.first / 4)
    signs.push(
      `the entropy fell from ${formatNumber(entropy.first)} to ${formatNumber(entropy.last)} nats per token: the model stopped exploring. Add an entropy bonus or raise the temperature.`,
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
  return { first: first.y, last: last.y, min, max: max.y, maxStep: max.x };
}

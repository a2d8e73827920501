import { shortFigure } from "./axes.ts";
import type { MetricsRow } from "./metrics.ts";
import { reach, smooth } from "./smooth.ts";

/**
 * Signs in the rows of a run that a phase of RL went wrong, as sentences for people: reward, format or entropy that
 * fell, replies that grew or shrank, groups without a difference, numbers that could not be computed.
 */
export function collapseSigns(rows: readonly MetricsRow[]): readonly string[] {
  const phases = [...new Set(rows.map(({ phase }) => phase))];
  return phases.flatMap((phase) => {
    const within = rows.filter((row) => row.phase === phase && row.kind !== "eval");
    const signs = [...missing(within), ...(within[0]?.kind === "rl" ? ofPlay(within) : [])];
    return signs.map((sign) => `${phase}: ${sign}`);
  });
}

function missing(rows: readonly MetricsRow[]): string[] {
  return ["loss", "gradientNorm"].flatMap((name) => {
    const steps = rows.filter(({ values }) => values[name] === null).map(({ step }) => step);
    if (steps.length === 0) return [];
    const at =
      steps.length === 1 ? `step ${steps[0]}` : `${steps.length} steps, first step ${steps[0]}`;
    return [
      `${name} was no finite number at ${at}. A lower learning rate or a tighter clip norm keeps it finite.`,
    ];
  });
}

function ofPlay(rows: readonly MetricsRow[]): string[] {
  const course = (name: string) => courseOf(rows, name);
  const signs: string[] = [];
  const reward = course("reward");
  if (
    reward !== undefined &&
    reward.best - reward.last > 0.25 * Math.max(reward.best - reward.least, 0.2)
  )
    signs.push(
      `the reward ended at ${shortFigure(reward.last)}, below its best of ${shortFigure(reward.best)} at step ${reward.bestStep}.`,
    );
  const format = course("score/format");
  if (format !== undefined && format.best - format.last > 0.05)
    signs.push(
      `the format score fell from ${shortFigure(format.best)} to ${shortFigure(format.last)}: the model forgets how to answer.`,
    );
  const entropy = course("entropy");
  if (entropy !== undefined && entropy.last < 0.1 && entropy.last < entropy.first / 4)
    signs.push(
      `the entropy fell from ${shortFigure(entropy.first)} to ${shortFigure(entropy.last)} nats per token: the model stopped exploring. An entropy bonus or a higher temperature keeps it trying.`,
    );
  const length = course("length");
  if (length !== undefined && Math.max(length.last / length.first, length.first / length.last) > 2)
    signs.push(
      `replies went from ${shortFigure(length.first)} to ${shortFigure(length.last)} tokens.`,
    );
  const idle = course("zeroVariance");
  if (idle !== undefined && idle.last > 0.9)
    signs.push(
      `in ${Math.round(idle.last * 100)} % of the last groups all rollouts had the same reward, from which nothing is learned. Harder examples or larger groups make a difference.`,
    );
  return signs;
}

interface Course {
  readonly first: number;
  readonly last: number;
  readonly least: number;
  readonly best: number;
  readonly bestStep: number;
}

/** Where a smoothed curve began, went and ended; `undefined` if it is too short to tell. */
function courseOf(rows: readonly MetricsRow[], name: string): Course | undefined {
  const points = rows.map(({ step, values }) => ({ x: step, y: values[name] ?? null }));
  const known = smooth(points, reach(points.length)).flatMap(({ x, y }) =>
    y === null ? [] : [{ x, y }],
  );
  const first = known[0];
  const last = known.at(-1);
  if (known.length < 16 || first === undefined || last === undefined) return undefined;
  const best = known.reduce((a, b) => (b.y > a.y ? b : a));
  const least = known.reduce((a, b) => Math.min(a, b.y), Infinity);
  return { first: first.y, last: last.y, least, best: best.y, bestStep: best.x };
}

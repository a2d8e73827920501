import { useMemo } from "react";

import type { CurvePoint } from "../../run/run.ts";
import { seconds } from "../format.ts";
import type { ViewProps } from "../view-props.ts";
import { type Curve, CurvePlot } from "./curve-plot.tsx";

/** The curves of a training run, and the steps whose rollouts are saved. */
export function TrainingView({ navigate, run }: ViewProps) {
  const { head, curves, isReady } = run;
  const plots = useMemo(() => plotsOf(curves), [curves]);
  if (head === undefined) return <main className="quiet loading">Reading the run…</main>;
  const last = curves.at(-1);
  return (
    <main className="page text-page">
      <h2>
        {head.environment} <span className="quiet">· {head.model}</span>
      </h2>
      {last !== undefined && (
        <p className="quiet">
          {`${head.isComplete ? "Complete" : "Running"}: step ${last.step} of ${last.phase}, after ${seconds(last.at)}.`}
        </p>
      )}
      <h3>Rollouts</h3>
      {head.steps.length === 0 ? (
        <p className="quiet">The training has not saved rollouts yet.</p>
      ) : (
        <ul className="steps">
          {head.steps.map(({ phase, step, run: id }) => (
            <li key={id}>
              <button
                type="button"
                className="small second"
                onClick={() => navigate({ run: id, view: "", rollout: "" })}
              >
                {phase} {step}
              </button>
            </li>
          ))}
        </ul>
      )}
      <h3>Curves</h3>
      {plots.length === 0 && (
        <p className="quiet">
          {isReady ? "The training has not written metrics yet." : "Reading…"}
        </p>
      )}
      <div className="plots">
        {plots.map((curve) => (
          <CurvePlot key={curve.title} curve={curve} />
        ))}
      </div>
    </main>
  );
}

/** One plot for each value. Phases follow each other on the axis, with continuous step numbers. */
function plotsOf(points: readonly CurvePoint[]): readonly Curve[] {
  const offsets = new Map<string, number>();
  let offset = 0;
  for (const [phase, group] of Map.groupBy(points, (point) => point.phase)) {
    offsets.set(phase, offset);
    offset += group.reduce((last, { step }) => Math.max(last, step), 0);
  }
  const kinds = Map.groupBy(points.flatMap(namesOf), ([name]) => name);
  const curves = new Map<
    string,
    { steps: number[]; values: (number | null)[]; phases: string[] }
  >();
  for (const { phase, step, kind, values } of points)
    for (const [name, value] of Object.entries(values)) {
      // Separates the losses of different kinds of steps, which have no common scale.
      const isShared = new Set(kinds.get(name)?.map(([, other]) => other)).size > 1;
      const title = isShared ? `${name}, ${kind}` : name;
      const curve = curves.get(title) ?? { steps: [], values: [], phases: [] };
      curve.steps.push(step + (offsets.get(phase) ?? 0));
      curve.values.push(value);
      curve.phases.push(`${phase} ${step}`);
      curves.set(title, curve);
    }
  return [...curves]
    .filter(([, { values }]) => values.some((value) => value !== null))
    .toSorted(([a], [b]) => rank(a) - rank(b) || a.localeCompare(b))
    .map(([title, { steps, values, phases }]) => ({ title, steps, values, phases }));
}

function namesOf({ kind, values }: CurvePoint): readonly (readonly [name: string, kind: string])[] {
  return Object.keys(values).map((name) => [name, kind] as const);
}

function rank(name: string): number {
  if (name === "reward" || /^loss\b/u.test(name)) return 0;
  return name.includes("/") ? 1 : 2;
}

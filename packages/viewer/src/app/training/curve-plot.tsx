import { useEffect, useRef, useState } from "react";
import type UPlot from "uplot";

import { figure } from "../format.ts";

/** One value of a training over its steps. */
export interface Curve {
  readonly title: string;
  readonly steps: readonly number[];
  readonly values: readonly (number | null)[];
  /** The name of each step: `rl 20`. */
  readonly phases: readonly string[];
}

/** A curve with a moving mean, which follows the pointer. */
export function CurvePlot({ curve }: { readonly curve: Curve }) {
  const box = useRef<HTMLDivElement>(null);
  const [current, setCurrent] = useState<number>();
  const [width, setWidth] = useState(0);
  const [problem, setProblem] = useState("");

  useEffect(() => {
    const observer = new ResizeObserver(([entry]) =>
      setWidth(Math.floor(entry!.contentRect.width)),
    );
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);

  useEffect(() => {
    if (width === 0) return undefined;
    let plot: UPlot | undefined;
    let isCurrent = true;
    repairLanguage();
    import("uplot").then(
      ({ default: Plot }) => {
        if (!isCurrent) return;
        const data: UPlot.AlignedData = [[...curve.steps], [...curve.values], smooth(curve.values)];
        plot = new Plot(optionsOf(curve, width, setCurrent), data, box.current!);
      },
      (error: unknown) => setProblem(`The curve cannot be drawn: ${String(error)}`),
    );
    return () => {
      isCurrent = false;
      plot?.destroy();
    };
  }, [curve, width]);

  const shown = current ?? curve.values.length - 1;
  return (
    <figure className="plot">
      <figcaption>
        <strong>{curve.title}</strong>{" "}
        <span className="quiet">
          {figure(curve.values[shown])} at {curve.phases[shown]}
        </span>
      </figcaption>
      <div ref={box} />
      {problem !== "" && <p className="quiet">{problem}</p>}
    </figure>
  );
}

/** uPlot reads the browser's language as it loads, and fails for a tag that is not valid, such as `en-US@posix`. */
function repairLanguage(): void {
  try {
    Intl.getCanonicalLocales(navigator.language);
  } catch {
    Object.defineProperty(navigator, "language", { value: "en", configurable: true });
  }
}

function optionsOf(
  { steps }: Curve,
  width: number,
  onCursor: (index: number | undefined) => void,
): UPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string): string => style.getPropertyValue(name).trim();
  const axis: UPlot.Axis = {
    stroke: color("--quiet"),
    grid: { stroke: color("--line"), width: 1 },
    ticks: { show: false },
  };
  return {
    width,
    height: 160,
    legend: { show: false },
    cursor: { y: false },
    scales: { x: { time: false } },
    axes: [axis, { ...axis, size: 52 }],
    series: [
      {},
      { stroke: color("--field"), width: 1, points: { show: steps.length < 40, size: 4 } },
      { stroke: color("--series-1"), width: 2, points: { show: false } },
    ],
    hooks: { setCursor: [({ cursor }) => onCursor(cursor.idx ?? undefined)] },
  };
}

const span = 0.9;

/** An exponential moving mean without the bias of its start (Adam's correction). */
function smooth(values: readonly (number | null)[]): (number | null)[] {
  let sum = 0;
  let weight = 0;
  if (values.length < 20) return values.map(() => null);
  return values.map((value) => {
    if (value === null) return null;
    sum = span * sum + (1 - span) * value;
    weight = span * weight + (1 - span);
    return sum / weight;
  });
}

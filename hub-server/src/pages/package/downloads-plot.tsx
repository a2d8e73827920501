import type { ReactNode } from "react";

import type { DailyCount } from "../../registry/downloads/read.ts";

const [width, height] = [300, 64];
const formatDay = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });

/** Downloads by day as bars, with the same facts as text for screen readers. */
export function DownloadsPlot({ days }: { readonly days: readonly DailyCount[] }): ReactNode {
  const total = days.reduce((sum, { count }) => sum + count, 0);
  const highest = days.reduce((best, day) => (day.count > best.count ? day : best), {
    day: "",
    count: 0,
  });
  const step = width / Math.max(days.length, 1);
  const gap = Math.min(1.5, step / 4);
  const label =
    total === 0
      ? `No downloads in ${days.length} days`
      : `${total.toLocaleString("en")} downloads in ${days.length} days, at most ${highest.count.toLocaleString("en")} a day, on ${dayText(highest.day)}`;
  return (
    <figure className="downloads">
      {total > 0 && (
        <svg
          viewBox={`0 0 ${width} ${height}`}
          role="img"
          aria-label={label}
          preserveAspectRatio="none"
        >
          <line x1="0" x2={width} y1={height - 0.5} y2={height - 0.5} className="axis" />
          {days.map(({ day, count }, index) => {
            const size = highest.count === 0 ? 0 : (count / highest.count) * (height - 4);
            return count === 0 ? null : (
              <rect
                key={day}
                x={round(index * step + gap / 2)}
                y={round(height - Math.max(size, 2))}
                width={round(step - gap)}
                height={round(Math.max(size, 2))}
                className="bar"
              >
                <title>{`${dayText(day)}: ${count.toLocaleString("en")}`}</title>
              </rect>
            );
          })}
        </svg>
      )}
      <figcaption className="small quiet">
        {total === 0
          ? `None in the last ${days.length} days.`
          : `${total.toLocaleString("en")} in the last ${days.length} days`}
      </figcaption>
    </figure>
  );
}

function dayText(day: string): string {
  return formatDay.format(new Date(day));
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

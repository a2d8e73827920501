import { type Chart, chartsOf } from "./charts.ts";
import type { MetricsRow } from "./metrics.ts";
import { panel } from "./panel.ts";
import { sections } from "./series.ts";
import { cut, element, label, picture, quiet } from "./svg.ts";

/** One image of a report. */
export interface Plot {
  /** The name of its file, without an ending. */
  readonly file: string;
  readonly title: string;
  /** The names of its curves. */
  readonly curves: readonly string[];
  readonly svg: string;
}

const single = { width: 760, height: 400 };
const small = { width: 400, height: 236 };
const perRow = 3;

/**
 * Every curve of a run: first `overview`, with all of them small, then each in an image of its own. The same rows give
 * the same text.
 */
export function plots(rows: readonly MetricsRow[], title: string): readonly Plot[] {
  const charts = chartsOf(rows);
  const images = charts.map((chart): Plot => {
    const isEvaluation = chart.section === "Evaluation";
    const full = isEvaluation ? `Evaluation: ${chart.title}` : chart.title;
    return {
      file: chart.file,
      title: full,
      curves: chart.curves.map(({ name }) => name),
      svg: picture(
        single.width,
        single.height,
        panel({ ...chart, title: full }, single.width, single.height),
      ),
    };
  });
  return [
    { file: "overview", title: "Overview", curves: [], svg: overview(charts, title) },
    ...images,
  ];
}

function overview(charts: readonly Chart[], title: string): string {
  const width = perRow * small.width + 24;
  const content: string[] = [
    label(cut(title, 20, width - 52), [26, 40], {
      "font-size": 20,
      "font-weight": 600,
      fill: "#1c1c1c",
    }),
    label(
      "Light: each step. Dark: moving average. Figures: its latest value. Dashed: a phase begins.",
      [26, 60],
      { fill: quiet },
    ),
  ];
  let y = 76;
  for (const section of sections) {
    const within = charts.filter((chart) => chart.section === section);
    if (within.length === 0) continue;
    content.push(
      label(section.toUpperCase(), [26, y + 18], {
        "font-weight": 600,
        fill: quiet,
        "letter-spacing": 0.8,
      }),
      element("line", { x1: 26, x2: width - 26, y1: y + 27, y2: y + 27, stroke: "#d6d6d6" }),
    );
    y += 34;
    for (const [index, chart] of within.entries()) {
      const x = 12 + (index % perRow) * small.width;
      if (index > 0 && index % perRow === 0) y += small.height;
      content.push(
        element(
          "g",
          { transform: `translate(${x} ${y})` },
          panel(chart, small.width, small.height),
        ),
      );
    }
    y += small.height + 6;
  }
  return picture(width, y + 8, content.join(""));
}

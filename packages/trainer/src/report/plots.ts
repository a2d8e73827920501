import { type Chart, chartsOf } from "./charts.ts";
import type { MetricsRow } from "./metrics.ts";
import { panel } from "./panel.ts";
import { sections } from "./series.ts";
import { element, image, label, mutedColor, truncate } from "./svg.ts";

/** One image of a report. */
export interface Plot {
  /** The name of its file, without an extension. */
  readonly file: string;
  readonly title: string;
  readonly svg: string;
}

const singleSize = { width: 760, height: 400 };
const overviewSize = { width: 400, height: 236 };
const chartsPerRow = 3;

/** Draws the curves of a run: an `overview` of all charts, then an image per chart. Equal rows give equal SVG text. */
export function plots(rows: readonly MetricsRow[], title: string): readonly Plot[] {
  const charts = chartsOf(rows);
  const images = charts.map((chart): Plot => {
    const isEvaluation = chart.section === "Evaluation";
    const fullTitle = isEvaluation ? `Evaluation: ${chart.title}` : chart.title;
    return {
      file: chart.file,
      title: fullTitle,
      svg: image(
        singleSize.width,
        singleSize.height,
        panel({ ...chart, title: fullTitle }, singleSize.width, singleSize.height),
      ),
    };
  });
  return [{ file: "overview", title: "Overview", svg: overview(charts, title) }, ...images];
}

function overview(charts: readonly Chart[], title: string): string {
  const width = chartsPerRow * overviewSize.width + 24;
  const content: string[] = [
    label(truncate(title, 20, width - 52), [26, 40], {
      "font-size": 20,
      "font-weight": 600,
      fill: "#1c1c1c",
    }),
    label(
      "Light: each step. Dark: moving average. Number: its latest value. Dashed: start of a phase.",
      [26, 60],
      { fill: mutedColor },
    ),
  ];
  let y = 76;
  for (const section of sections) {
    const sectionCharts = charts.filter((chart) => chart.section === section);
    if (sectionCharts.length === 0) continue;
    content.push(
      label(section.toUpperCase(), [26, y + 18], {
        "font-weight": 600,
        fill: mutedColor,
        "letter-spacing": 0.8,
      }),
      element("line", { x1: 26, x2: width - 26, y1: y + 27, y2: y + 27, stroke: "#d6d6d6" }),
    );
    y += 34;
    for (const [index, chart] of sectionCharts.entries()) {
      const x = 12 + (index % chartsPerRow) * overviewSize.width;
      if (index > 0 && index % chartsPerRow === 0) y += overviewSize.height;
      content.push(
        element(
          "g",
          { transform: `translate(${x} ${y})` },
          panel(chart, overviewSize.width, overviewSize.height),
        ),
      );
    }
    y += overviewSize.height + 6;
  }
  return image(width, y + 8, content.join(""));
}

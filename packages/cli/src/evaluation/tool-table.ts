import type { Summary } from "@envs/core";

import { formatTable } from "../terminal/output.ts";
import { clean, paint } from "../terminal/text.ts";
import { percent } from "../text/figures.ts";
import { shortDuration } from "../text/time.ts";

/** The maximum number of tools in a table, because a toolset may have hundreds. */
const maxTools = 12;

/** Formats how often the model called each tool, as lines. Empty without tools. */
export function toolTable({ tools }: Summary): readonly string[] {
  const byCalls = Object.entries(tools).toSorted(([, a], [, b]) => b.calls - a.calls);
  if (byCalls.length === 0) return [];
  const widest = Math.max(...byCalls.map(([name]) => clean(name).length), "tool".length);
  const rows = byCalls
    .slice(0, maxTools)
    .map(([name, { calls, errors, seconds }]) => [
      clean(name).padEnd(widest),
      String(calls),
      errors === 0 ? "0" : `${errors} (${percent(errors, calls)})`,
      shortDuration(seconds),
      shortDuration(seconds / calls),
    ]);
  const [heading = "", ...lines] = formatTable([
    ["tool".padEnd(widest), "calls", "errors", "time", "per call"],
    ...rows,
  ]).split("\n");
  const rest = byCalls.length - maxTools;
  return [
    paint("dim", heading),
    ...lines,
    ...(rest > 0 ? [paint("dim", `${rest} more tools`)] : []),
    "",
  ];
}

import { formatTable, paint } from "@envs/terminal";
import { wrap } from "@envs/terminal/layout";

import type { ErrorExplanation } from "../error-reference.ts";

const width = 78;

/** An error code with its meaning, cause and remedy. */
export function explanation({ code, area, statuses, what, why, fix }: ErrorExplanation): string {
  const http = statuses.length === 0 ? "" : `, HTTP ${statuses.join(" or ")}`;
  return [
    `${paint("bold", code)} ${paint("dim", `(${area}${http})`)}`,
    ...wrap(what, width),
    "",
    ...section("Why", why),
    ...section("Fix", fix),
  ].join("\n");
}

function section(label: string, text: string): readonly string[] {
  return wrap(text, width - 6).map(
    (line, index) => (index === 0 ? paint("dim", `${label}:  `) : "      ") + line,
  );
}

/** All codes, one a line, under the area that reports them. */
export function codeTable(entries: readonly ErrorExplanation[]): string {
  const areas = Object.entries(Object.groupBy(entries, ({ area }) => area));
  const sections = areas.map(([area, group = []]) => {
    const rows = group.map(({ code, what }) => [`  ${code}`, what]);
    return `${paint("bold", area)}\n${formatTable(rows, "text")}`;
  });
  return [...sections, "Details: envs explain <code>"].join("\n\n");
}

/** A Markdown table with columns of even width, as the formatter writes it. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [heading, ...rows].map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = heading.map((_, column) =>
    Math.max(3, ...all.map((row) => Array.from(row[column] ?? "").length)),
  );
  const line = (cells: readonly string[], fill: string): string =>
    `| ${widths.map((width, column) => pad(cells[column] ?? "", width, fill)).join(" | ")} |`;
  const [head = [], ...body] = all;
  return [line(head, " "), line([], "-"), ...body.map((cells) => line(cells, " "))].join("\n");
}

function pad(text: string, width: number, fill: string): string {
  return text + fill.repeat(width - Array.from(text).length);
}

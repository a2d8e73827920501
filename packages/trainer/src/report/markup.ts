/** Text as Markdown shows it as it is, on one line. */
export function plain(text: string): string {
  return text
    .replaceAll(/\s*[\r\n]+\s*/g, " ")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(/[\\`*_[\]|#]/g, String.raw`\$&`);
}

/** A block that shows text as it is, whatever it holds. */
export function fenced(text: string, language = "text"): string {
  const runs = [...text.matchAll(/`+/g)].map(([run]) => run.length);
  const fence = "`".repeat(Math.max(2, ...runs) + 1);
  return `${fence}${language}\n${text.trimEnd()}\n${fence}`;
}

/** A table; the cells are Markdown. The first `left` columns are text, the others figures. */
export function table(
  rows: readonly (readonly string[])[],
  left: number = rows[0]?.length ?? 0,
): string {
  const [head = [], ...body] = rows;
  const rule = head.map((_, column) => (column < left ? "---" : "--:"));
  return [head, rule, ...body].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

/** An image beside the report. */
export function image(title: string, path: string): string {
  const url = encodeURI(path).replaceAll("(", "%28").replaceAll(")", "%29");
  return `![${plain(title)}](${url})`;
}

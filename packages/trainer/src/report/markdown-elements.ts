/** Escapes text for one line of Markdown. */
export function escapeMarkdown(text: string): string {
  return text
    .replaceAll(/\s*[\r\n]+\s*/g, " ")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(/[\\`*_[\]|#]/g, String.raw`\$&`);
}

/** A fenced code block. Its fence is longer than every run of backticks in the text. */
export function codeBlock(text: string, language = "text"): string {
  const runs = [...text.matchAll(/`+/g)].map(([run]) => run.length);
  const fence = "`".repeat(Math.max(2, ...runs) + 1);
  return `${fence}${language}\n${text.trimEnd()}\n${fence}`;
}

/** A table whose cells are Markdown. The first `textColumns` columns are aligned left, the others right. */
export function table(
  rows: readonly (readonly string[])[],
  textColumns: number = rows[0]?.length ?? 0,
): string {
  const [head = [], ...body] = rows;
  const rule = head.map((_, column) => (column < textColumns ? "---" : "--:"));
  return [head, rule, ...body].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

/** An image; `path` is relative to the report. */
export function image(title: string, path: string): string {
  const url = encodeURI(path).replaceAll("(", "%28").replaceAll(")", "%29");
  return `![${escapeMarkdown(title)}](${url})`;
}

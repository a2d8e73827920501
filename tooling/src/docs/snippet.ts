const opening = /^\s*\/\/ #region (?<name>[\w-]+)\s*$/;
const closing = /^\s*\/\/ #endregion\b/;

/** The text of a source file as a document quotes it: whole, or one `// #region`; the markers left out. */
export function snippetOf(source: string, region?: string): string {
  const kept: string[] = [];
  const open: string[] = [];
  let isFound = region === undefined;
  for (const line of source.split("\n")) {
    const name = opening.exec(line)?.groups?.["name"];
    if (name !== undefined) {
      open.push(name);
      isFound ||= name === region;
    } else if (closing.test(line)) open.pop();
    else if (region === undefined || open.includes(region)) kept.push(line);
  }
  if (!isFound) throw new Error(`There is no region ${region}.`);
  if (open.length > 0) throw new Error(`The region ${open.at(-1)} has no end.`);
  return dedent(kept)
    .join("\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

/** Removes the first line's indent from all lines, and trims the end. */
function dedent(lines: readonly string[]): string[] {
  const indents = lines.flatMap((line) => (line.trim() === "" ? [] : [line.search(/\S/)]));
  const least = Math.min(...indents, 80);
  return lines.map((line) => line.slice(least).trimEnd());
}

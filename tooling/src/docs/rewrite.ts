/** The sources of a document's blocks. Each throws an `Error` for an unknown source. */
export interface Sources {
  /** The text of a file, or of one of its regions. */
  snippet(path: string, region: string | undefined): string;
  /** The text between `<!-- generated: what -->` and `<!-- /generated -->`. */
  generated(what: string): string | Promise<string>;
}

/** The regenerated document, and the problems that need an editor. */
export interface Rewritten {
  readonly text: string;
  readonly problems: readonly string[];
}

const snippetMarker = /^<!-- snippet: (?<path>[^\s#]+)(?:#(?<region>\S+))? -->$/;
const generatedMarker = /^<!-- generated: (?<what>.+) -->$/;
const generatedEnd = "<!-- /generated -->";
const fence = /^(?<ticks>`{3,})(?<language>\S*)/;

/** Regenerates every marked block of a document. Reports TypeScript without a marker, because it is not compiled. */
export async function rewrite(markdown: string, sources: Sources): Promise<Rewritten> {
  const lines = markdown.split("\n");
  const written: string[] = [];
  const problems: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const snippet = snippetMarker.exec(line)?.groups;
    const generated = generatedMarker.exec(line)?.groups;
    try {
      if (snippet !== undefined) {
        const { path = "", region } = snippet;
        const text = sources.snippet(path, region);
        written.push(line, "", ...fenced(text, path.split(".").at(-1) ?? ""));
        at = endOfSnippet(lines, at);
      } else if (generated !== undefined) {
        const text = await sources.generated(generated["what"] ?? "");
        const end = lines.indexOf(generatedEnd, at);
        if (end < 0) throw new Error(`There is no ${generatedEnd} after it.`);
        written.push(line, "", ...text.split("\n"), "", generatedEnd);
        at = end;
      } else if (fence.test(line)) {
        const end = endOfFence(lines, at);
        if (/^`{3,}(ts|typescript|js|javascript)\b/.test(line))
          problems.push(`line ${at + 1}: code without a snippet marker is not compiled`);
        written.push(...lines.slice(at, end + 1));
        at = end;
      } else written.push(line);
    } catch (error) {
      problems.push(`line ${at + 1}: ${error instanceof Error ? error.message : String(error)}`);
      written.push(line);
    }
  }
  return { text: written.join("\n"), problems };
}

/** The last line of the block that belongs to a snippet's marker: the marker's own, if the block was never written. */
function endOfSnippet(lines: readonly string[], marker: number): number {
  const next = lines[marker + 1] === "" ? marker + 2 : marker + 1;
  return fence.test(lines[next] ?? "") ? endOfFence(lines, next) : marker;
}

function endOfFence(lines: readonly string[], start: number): number {
  const ticks = fence.exec(lines[start] ?? "")?.groups?.["ticks"] ?? "";
  const end = lines.indexOf(ticks, start + 1);
  return end < 0 ? lines.length - 1 : end;
}

/** A code block whose fence is longer than any in the text. */
export function fenced(text: string, language: string): string[] {
  const longest = Math.max(2, ...[...text.matchAll(/^`+/gm)].map(([ticks]) => ticks.length));
  const ticks = "`".repeat(longest + 1);
  return [`${ticks}${language}`, ...text.split("\n"), ticks];
}

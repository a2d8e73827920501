import type { PackageLimits } from "./limits.ts";

/** A package's README: the name of its file, and its text as far as it is kept. */
export interface Readme {
  readonly file: string;
  readonly text: string;
}

/** In the order of preference; Markdown is what gets rendered. */
const extensions = [".md", ".markdown", ".mdown", ".mkdn", "", ".txt", ".rst", ".adoc"];

/** The README among the files at a package's root, whatever its case. */
export function readmeOf(
  files: ReadonlyMap<string, { readonly content: Buffer }>,
  limits: PackageLimits,
): Readme | undefined {
  const rank = (path: string): number =>
    /^readme(?:\.[a-z]+)?$/i.test(path) ? extensions.indexOf(path.slice(6).toLowerCase()) : -1;
  const [file] = [...files.keys()]
    .filter((path) => rank(path) >= 0)
    .sort((a, b) => rank(a) - rank(b));
  const content = file === undefined ? undefined : files.get(file)?.content;
  if (file === undefined || content === undefined) return undefined;
  return { file, text: textOf(content, limits.readme) };
}

/** Not UTF-8 is replaced, and so is NUL, which databases do not keep. A character cut in two is left out. */
function textOf(content: Buffer, most: number): string {
  const isCut = content.length > most;
  const decoded = new TextDecoder().decode(content.subarray(0, most), { stream: isCut });
  return decoded.replaceAll("\0", "\u{FFFD}");
}

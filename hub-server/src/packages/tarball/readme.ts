import type { PackageLimits } from "./limits.ts";

/** The name of a package's README file and its text, truncated to the hub's limit. */
export interface Readme {
  readonly file: string;
  readonly text: string;
}

/** The extensions by preference: Markdown first, because the hub renders it. */
const extensions = [".md", ".markdown", ".mdown", ".mkdn", "", ".txt", ".rst", ".adoc"];

/** Finds the README in a package's root; its name is case-insensitive. */
export function findReadme(
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

/** Replaces invalid UTF-8 and NUL, which PostgreSQL cannot store. Drops a character that the limit cuts in two. */
function textOf(content: Buffer, maxBytes: number): string {
  const isCut = content.length > maxBytes;
  const decoded = new TextDecoder().decode(content.subarray(0, maxBytes), { stream: isCut });
  return decoded.replaceAll("\0", "\u{FFFD}");
}

import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import { writeApiReference } from "./api.ts";
import { commandLinePage } from "./command-line.ts";
import { pagesFolder, root } from "./folders.ts";
import { settingsPage } from "./settings-page.ts";
import { listPrograms, listSources, type Source } from "./sources.ts";

/** Writes all pages again: the documents of the repository, and the pages that are made from its code. */
export async function collectPages(): Promise<void> {
  rmSync(pagesFolder, { recursive: true, force: true });
  copyDocuments();
  writePage("reference/settings.md", { text: settingsPage() });
  writePage("reference/command-line.md", { text: await commandLinePage() });
  await writeApiReference();
}

function copyDocuments(): void {
  for (const source of listSources()) copyDocument(source);
  const shows = descriptionsOf(readFileSync(join(root, "examples/README.md"), "utf8"));
  for (const program of listPrograms()) writeProgram(program, shows.get(basename(program.path)));
  cpSync(join(root, "docs/images"), join(pagesFolder, "images"), { recursive: true });
}

/** Copies one document. Its front matter names the source, from which relative links are resolved. */
export function copyDocument({ path, page }: Source): void {
  writePage(page, { source: path, text: readFileSync(join(root, path), "utf8") });
}

function writePage(
  page: string,
  { source, text }: { readonly source?: string; readonly text: string },
): void {
  const target = join(pagesFolder, page);
  mkdirSync(dirname(target), { recursive: true });
  const matter = source === undefined ? "" : `---\nsource: ${source}\n---\n\n`;
  writeFileSync(target, matter + text);
}

function writeProgram({ path, page }: Source, description: string | undefined): void {
  const code = readFileSync(join(root, path), "utf8").trimEnd();
  const text = [
    `# ${basename(path)}`,
    ...(description === undefined ? [] : [`An example: ${description}.`]),
    `\`\`\`ts\n${code}\n\`\`\``,
    "[All examples](README.md)",
  ];
  writePage(page, { source: path, text: `${text.join("\n\n")}\n` });
}

/** Reads the rows of the table in the examples' README: the file, and what it shows. */
function descriptionsOf(readme: string): ReadonlyMap<string, string> {
  const rows = [...readme.matchAll(/^\| `(?<file>[\w.-]+)` +\| (?<shows>.*?) *\|$/gm)];
  return new Map(rows.map(({ groups }) => [groups?.["file"] ?? "", groups?.["shows"] ?? ""]));
}

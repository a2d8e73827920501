import { globSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

import { type AuditRule, auditRuleList } from "./audit-rules.ts";
import { type Description, environmentTables } from "./environment-tables.ts";
import { lieTables } from "./lie-tables.ts";
import { brokenLinks } from "./links.ts";
import { providerTables } from "./provider-tables.ts";
import { fenced, rewrite } from "./rewrite.ts";
import { snippetOf } from "./snippet.ts";

/** The workspace's own command line, as the documents quote it. */
export interface CommandLine {
  /** The output of `envs info <folder> --json`. */
  describe(folder: string): Promise<Description>;
  /** The output of a command such as `envs eval --help`. */
  help(command: string): Promise<string>;
  /** The output of `envs audit --list --json`. */
  auditRules(): Promise<readonly AuditRule[]>;
}

/** The result of a sync. Paths are relative to the root. */
export interface SyncReport {
  readonly changed: readonly string[];
  /** Problems that need an editor: `path: problem`. */
  readonly problems: readonly string[];
}

const documents = [
  "*.md",
  "{packages,environments}/*/README.md",
  "{examples,examples/ports,bench,e2e,tooling,hub-server}/README.md",
  "docs/**/*.md",
];

/** Updates the quoted code, tables and help in every document of the workspace; with `check`, only reports stale ones. */
export async function syncDocuments(
  root: string,
  { check, commandLine }: { readonly check: boolean; readonly commandLine: CommandLine },
): Promise<SyncReport> {
  const changed: string[] = [];
  const problems: string[] = [];
  for (const path of globSync(documents, { cwd: root }).toSorted()) {
    const file = join(root, path);
    const before = readFileSync(file, "utf8");
    const { text, problems: found } = await rewrite(before, {
      snippet: (source, region) => snippetOf(readFileSync(join(root, source), "utf8"), region),
      generated: (what) =>
        what === "errors" ? errorSections(root) : generate(what, dirname(file), commandLine),
    });
    problems.push(...found.map((problem) => `${path}: ${problem}`));
    problems.push(
      ...brokenLinks(file, text).map((target) => `${path}: the link to ${target} leads nowhere`),
    );
    if (text === before) continue;
    changed.push(relative(root, file));
    if (!check) writeFileSync(file, text);
  }
  return { changed, problems };
}

/** The sections of the error references that the packages contain. */
function errorSections(root: string): string {
  const files = ["cli", "hub-client", "serve"].map((name) =>
    readFileSync(join(root, `packages/${name}/errors.md`), "utf8"),
  );
  return files.map((text) => text.slice(text.indexOf("\n## ")).trim()).join("\n\n");
}

async function generate(what: string, folder: string, commandLine: CommandLine): Promise<string> {
  if (what.startsWith("envs ")) return fenced(await commandLine.help(what), "text").join("\n");
  if (what === "audit rules") return auditRuleList(await commandLine.auditRules());
  const table = providerTables[what] ?? lieTables[what];
  if (table !== undefined) return table();
  const make = environmentTables[what];
  if (make !== undefined) return make(await commandLine.describe(folder));
  const known = [
    ...Object.keys(environmentTables),
    ...Object.keys(providerTables),
    ...Object.keys(lieTables),
  ].join(", ");
  throw new Error(`Unknown block "${what}". Use: ${known}, audit rules, errors, or envs … --help.`);
}

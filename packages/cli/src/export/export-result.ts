/** A file to write. */
export interface ExportFile {
  /** Relative to the output folder. */
  readonly path: string;
  readonly text: string;
  readonly isExecutable?: boolean | undefined;
}

/** The output of an export format. */
export interface ExportResult {
  readonly files: readonly ExportFile[];
  /** Sentences for the user: what was excluded, what to run next. */
  readonly notes?: readonly string[];
}

/** Converts rows to JSON Lines. */
export function toJsonLines(rows: readonly unknown[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join("");
}

/** Quotes text for TOML, Python and YAML. JSON strings are valid in all three, except that TOML forbids DEL. */
export function quoteString(text: string): string {
  return JSON.stringify(text).replaceAll("\u007F", String.raw`\u007F`);
}

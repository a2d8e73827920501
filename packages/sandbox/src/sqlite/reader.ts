import type { Sqlite3Static, StmtPtr } from "@sqlite.org/sqlite-wasm";

import type { Json } from "../sandbox.ts";

/** The rows of one statement. */
interface Table {
  readonly columns: readonly string[];
  readonly rows: (readonly Json[])[];
}

/** Collects rows up to the maximum size of the output. */
export class Reader {
  readonly #sqlite: Sqlite3Static;
  readonly #lines: string[] = [];
  #table: Table | undefined;
  #bytesLeft: number;
  truncated = false;

  constructor(sqlite: Sqlite3Static, maxBytes: number) {
    this.#sqlite = sqlite;
    this.#bytesLeft = maxBytes;
  }

  /** All result tables as text: a line with the names of the columns, then a line for each row. */
  get stdout(): string {
    return this.#lines.map((line) => `${line}\n`).join("");
  }

  /** The rows of the last statement that returns rows. */
  get value(): Json | undefined {
    return this.#table && { ...this.#table };
  }

  /** Begins the table of a statement, if it can have rows. */
  begin(statement: StmtPtr): void {
    const { capi } = this.#sqlite;
    const count = capi.sqlite3_column_count(statement);
    if (count === 0) return;
    const columns: string[] = [];
    for (let index = 0; index < count; index += 1)
      columns.push(this.#cut(capi.sqlite3_column_name(statement, index)));
    this.#table = { columns, rows: [] };
    this.#lines.push(columns.join("|"));
  }

  /** Adds the current row. Returns whether there is room for another. */
  add(statement: StmtPtr): boolean {
    const { columns, rows } = this.#table!;
    const row: Json[] = [];
    const texts: string[] = [];
    for (let index = 0; index < columns.length && !this.truncated; index += 1) {
      const { value, text } = this.#cell(statement, index);
      row.push(value);
      texts.push(text);
    }
    rows.push(row);
    this.#lines.push(texts.join("|"));
    return !this.truncated;
  }

  /** Discards the table of a statement that failed; rows that it returned remain in the text. */
  fail(): void {
    if (this.#table?.rows.length === 0) this.#lines.pop();
    this.#table = undefined;
  }

  #cell(statement: StmtPtr, index: number): { readonly value: Json; readonly text: string } {
    const { capi } = this.#sqlite;
    switch (capi.sqlite3_column_type(statement, index)) {
      case capi.SQLITE_NULL:
        return { value: null, text: this.#cut("NULL") };
      case capi.SQLITE_INTEGER: {
        const integer = capi.sqlite3_column_int64(statement, index);
        const text = this.#cut(String(integer));
        const isSafe = Number.isSafeInteger(Number(integer));
        return { value: isSafe ? Number(integer) : text, text };
      }
      case capi.SQLITE_FLOAT: {
        const float = capi.sqlite3_column_double(statement, index);
        const text = this.#cut(String(float));
        return { value: Number.isFinite(float) ? float : text, text };
      }
      case capi.SQLITE_BLOB: {
        const hex = Buffer.from(this.#bytes(statement, index)).toString("hex");
        const text = this.#cut(`x'${hex}'`);
        return { value: text, text };
      }
      default: {
        const text = this.#cut(new TextDecoder().decode(this.#bytes(statement, index)));
        return { value: text, text };
      }
    }
  }

  /** The beginning of a text or blob. It may be much larger than the output, so it leaves SQLite cut. */
  #bytes(statement: StmtPtr, index: number): Uint8Array {
    const { capi, wasm } = this.#sqlite;
    const start = capi.sqlite3_column_blob(statement, index);
    const size = capi.sqlite3_column_bytes(statement, index);
    return wasm.heap8u().slice(start, start + Math.min(size, this.#bytesLeft + 1));
  }

  /** Shortens a text to the room that is left. */
  #cut(text: string): string {
    const bytes = Buffer.byteLength(text);
    // Counts the separator, too.
    this.#bytesLeft -= bytes + 1;
    if (this.#bytesLeft >= 0) return text;
    this.truncated = true;
    const room = Math.max(0, this.#bytesLeft + bytes);
    this.#bytesLeft = 0;
    return Buffer.from(text)
      .subarray(0, room)
      .toString()
      .replace(/\uFFFD$/u, "");
  }
}

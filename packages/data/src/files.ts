import type * as z from "zod";

import { filesOf } from "./files/files-of.ts";
import { csvFormat, type CsvFormatOptions } from "./formats/csv.ts";
import { jsonlFormat } from "./formats/jsonl.ts";
import type { RowOptions, Source } from "./options.ts";
import { parquetFormat } from "./parquet/parquet-format.ts";
import { rowsOf } from "./rows.ts";

type Sources = Source | readonly Source[];

/**
 * Reads JSONL files (or files with one JSON array) as a lazy dataset; gzip and zstd are recognized. Throws a `ConfigError` with
 * the file and line of a row that does not match `schema`.
 */
export function jsonl<Schema extends z.ZodType>(
  source: Sources,
  options: RowOptions<Schema>,
): AsyncIterable<z.output<Schema>> {
  return rowsOf(
    () => filesOf(source),
    () => jsonlFormat,
    options,
  );
}

/** Options of {@link csv}. */
export interface CsvOptions<Schema extends z.ZodType>
  extends RowOptions<Schema>, CsvFormatOptions {}

/**
 * Reads CSV files as a lazy dataset; gzip and zstd are recognized. Cells are text: write `z.coerce.number()` for numbers.
 * Throws a `ConfigError` with the file and line of a row that does not match `schema`.
 */
export function csv<Schema extends z.ZodType>(
  source: Sources,
  options: CsvOptions<Schema>,
): AsyncIterable<z.output<Schema>> {
  return rowsOf(
    () => filesOf(source),
    () => csvFormat(options),
    options,
  );
}

/**
 * Reads Parquet files as a lazy dataset, page by page, and only the columns that `schema` names. Throws a
 * `ConfigError` with the file and the row that does not match `schema`.
 */
export function parquet<Schema extends z.ZodType>(
  source: Sources,
  options: RowOptions<Schema>,
): AsyncIterable<z.output<Schema>> {
  return rowsOf(
    () => filesOf(source),
    () => parquetFormat,
    options,
  );
}

import { Readable, pipeline } from "node:stream";

import { ConfigError } from "@envs/core";
import { CsvError, parse } from "csv-parse";

import { countOf, readBytes, reading } from "../files/read-text.ts";
import type { Cells, Chunk, Format } from "../rows.ts";

/** The options of csv() beside those of all formats. */
export interface CsvFormatOptions {
  /** The character between cells. Default: a tab for files that end in `.tsv`, else a comma. */
  readonly delimiter?: string | undefined;
  /** The names of the columns, for a file without a header. Default: the cells of the first line. */
  readonly header?: readonly string[] | undefined;
}

/** A CSV file. All cells are text; an empty cell is an empty text. */
export function csvFormat({ delimiter, header }: CsvFormatOptions): Format {
  return async ({ name, extension, path }) => {
    const local = await path();
    const separator = delimiter ?? (extension === "tsv" ? "\t" : ",");
    const read = async function* (start: number): AsyncGenerator<readonly [number, Cells]> {
      const parser = parse({
        bom: true,
        columns: header === undefined ? (names: string[]) => distinct(names, name) : [...header],
        delimiter: separator,
        info: true,
        // As in Python, a quote inside an unquoted cell is a plain character.
        relax_quotes: true,
        skip_empty_lines: true,
      });
      const records = pipeline(Readable.from(readBytes(local)), parser, () => {});
      try {
        let row = 0;
        for await (const { record, info } of records as AsyncIterable<Record>)
          if ((row += 1) > start) yield [info.lines, record];
      } catch (error) {
        if (!(error instanceof CsvError)) throw error;
        throw new ConfigError(`${name} is not CSV: ${error.message}.`, [], { cause: error });
      }
    };
    const chunk: Chunk = {
      rows: (_, start) => reading(name, () => read(start)),
      count: () => countOf(reading(name, () => read(0))),
      // A row may have several lines, because quoted cells may contain line feeds.
      locationOf: (line) => `${name}, the row that ends on line ${line}`,
    };
    return [chunk];
  };
}

interface Record {
  readonly record: Cells;
  readonly info: { readonly lines: number };
}

function distinct(names: string[], file: string): string[] {
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated === undefined) return names;
  throw new ConfigError(
    `The header of ${file} has the column ${JSON.stringify(repeated)} twice. Rename one of them, or pass \`header\`.`,
  );
}

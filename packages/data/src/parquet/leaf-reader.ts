import {
  type AsyncBuffer,
  type ColumnChunk,
  type DecodedArray,
  type PageHeader,
  readOffsetIndex,
  type SchemaTree,
} from "hyparquet";
import { assembleLists } from "hyparquet/src/assemble.js";
import { parquetHeader, readPage } from "hyparquet/src/column.js";
import { convert, convertWithDictionary, DEFAULT_PARSERS } from "hyparquet/src/convert.js";
import { getMaxDefinitionLevel, getMaxRepetitionLevel } from "hyparquet/src/schema.js";

import { ByteWindow } from "./byte-window.ts";
import {
  type ColumnDecoder,
  isStreamable,
  type OpenPage,
  openPage,
  openStream,
} from "./open-page.ts";
import { compressors } from "./open-parquet.ts";
import { timestampText } from "./values.ts";

/** Columns that are not declared as text stay bytes, and no digit of a time is lost. */
export const parsers = {
  ...DEFAULT_PARSERS,
  timestampFromNanoseconds: (ticks: bigint) => timestampText(ticks, 9),
};

interface Page {
  readonly offset: number;
  /** The number of rows that start before the page. It may begin within the last of them. */
  readonly row: number;
}

/**
 * Reads the rows of a physical column, and holds only the present page and the rows to return. hyparquet decodes all pages of a nested
 * column for one row, unless the file has an offset index, which most writers omit.
 */
export class LeafReader {
  readonly #chunk: ColumnChunk;
  readonly #decoder: ColumnDecoder;
  readonly #bytes: ByteWindow;
  readonly #isRepeated: boolean;
  readonly #maxDefinition: number;
  /** The pages whose first rows are known: all with an offset index, else those that were passed. */
  #pages: Page[] = [];
  #dictionary: DecodedArray | undefined;
  /** The offset of the present page, and that of the next one. */
  #offset = 0;
  #next = 0;
  #page: OpenPage | undefined;
  /** The number of rows that start before the present level. */
  #started = 0;

  readonly #maxPage: number;

  /**
   * `schemaPath` leads from the root of the schema to the column. Pages of texts above `maxPage` bytes are decompressed from their
   * beginning for each row that is before the present one.
   */
  constructor(file: AsyncBuffer, chunk: ColumnChunk, schemaPath: SchemaTree[], maxPage: number) {
    const meta = chunk.meta_data!;
    const start = Number(meta.dictionary_page_offset || meta.data_page_offset);
    this.#chunk = chunk;
    this.#maxPage = maxPage;
    this.#decoder = {
      ...meta,
      pathInSchema: meta.path_in_schema,
      element: schemaPath.at(-1)!.element,
      schemaPath,
      compressors,
      utf8: false,
      parsers,
    };
    this.#bytes = new ByteWindow(file, start, start + Number(meta.total_compressed_size));
    this.#isRepeated = getMaxRepetitionLevel(schemaPath) > 0;
    this.#maxDefinition = getMaxDefinitionLevel(schemaPath);
  }

  /** Reads rows of the row group, by their positions in it. */
  async read(start: number, end: number): Promise<unknown[]> {
    if (this.#pages.length === 0) await this.#open();
    this.#seek(start);
    const rows: unknown[] = [];
    for (;;) {
      if (this.#page !== undefined) {
        if (this.#started < start || rows.length === 0) await this.#advance(start);
        await this.#take(end, rows);
        if (this.#page.level < this.#page.length) return rows;
      }
      // The last row may continue in the next page.
      if ((!this.#isRepeated && this.#started >= end) || !this.#bytes.has(this.#next)) return rows;
      await this.#nextPage(start);
    }
  }

  async #open(): Promise<void> {
    const { offset_index_offset: index, offset_index_length: length = 0 } = this.#chunk;
    const { offset, header } = await this.#headerAt(this.#bytes.start);
    this.#next = this.#bytes.start;
    if (header.type === "DICTIONARY_PAGE") {
      const view = await this.#bytes.view(offset, header.compressed_page_size);
      const { data } = readPage(
        { view, offset: 0 },
        header,
        this.#decoder,
        undefined,
        undefined,
        0,
      );
      this.#dictionary = data && convert(data, this.#decoder);
      this.#next = offset + header.compressed_page_size;
    }
    this.#pages = [{ offset: this.#next, row: 0 }];
    if (index === undefined) return;
    const bytes = await this.#bytes.file.slice(Number(index), Number(index) + length);
    const { page_locations: locations } = readOffsetIndex({ view: new DataView(bytes), offset: 0 });
    this.#pages = locations.map(({ offset: at, first_row_index: row }) => ({
      offset: Number(at),
      row: Number(row),
    }));
  }

  /** Moves to the last known page before a row, unless the present one is as near. */
  #seek(row: number): void {
    const known = this.#pages.findLast((page) => page.row <= row)!;
    if (row >= this.#started && known.offset <= this.#offset) return;
    this.#next = known.offset;
    this.#started = known.row;
    this.#page = undefined;
  }

  /** Opens the next page, or passes it if all of its rows are before `start`. */
  async #nextPage(start: number): Promise<void> {
    if (this.#next > this.#pages.at(-1)!.offset)
      this.#pages.push({ offset: this.#next, row: this.#started });
    const { offset, header } = await this.#headerAt(this.#next);
    this.#offset = this.#next;
    this.#next = offset + header.compressed_page_size;
    const { data_page_header: first, data_page_header_v2: second } = header;
    const count = second?.num_rows ?? (this.#isRepeated ? undefined : first?.num_values);
    this.#page = undefined;
    if (count !== undefined && this.#started + count <= start) this.#started += count;
    else if (first !== undefined || second !== undefined)
      this.#page =
        header.uncompressed_page_size > this.#maxPage && isStreamable(header, this.#decoder)
          ? await openStream(this.#bytes.pieces(offset, this.#next), header, this.#decoder)
          : openPage(
              await this.#bytes.view(offset, header.compressed_page_size),
              header,
              this.#decoder,
            );
  }

  /** Skips levels up to the beginning of a row, without decoding their values. */
  async #advance(row: number): Promise<void> {
    const page = this.#page!;
    const { level } = page;
    this.#pass(row);
    await page.values.skip(this.#valuesIn(page, level));
  }

  /** Appends the rows of the page up to `end` to `rows`, of which the last may be incomplete. */
  async #take(end: number, rows: unknown[]): Promise<void> {
    const page = this.#page!;
    const { level } = page;
    this.#pass(end);
    if (page.level === level) return;
    const raw = await page.values.read(this.#valuesIn(page, level));
    const values = convertWithDictionary(raw, this.#dictionary, page.encoding, this.#decoder);
    const assembled = assembleLists(
      rows,
      page.definitionLevels.slice(level, page.level),
      page.repetitionLevels.slice(level, page.level),
      values,
      this.#decoder.schemaPath,
    );
    // hyparquet appends to its input unless the column has neither lists nor nulls.
    if (assembled !== rows) for (const item of assembled) rows.push(item);
  }

  /** Passes levels up to the one that begins a row. */
  #pass(row: number): void {
    const page = this.#page!;
    const { repetitionLevels, length } = page;
    if (!this.#isRepeated) {
      const count = Math.max(0, Math.min(length - page.level, row - this.#started));
      page.level += count;
      this.#started += count;
      return;
    }
    for (; page.level < length; page.level += 1) {
      if (repetitionLevels[page.level] !== 0) continue;
      if (this.#started >= row) return;
      this.#started += 1;
    }
  }

  /** The number of values from a level to the present one: other levels are nulls and empty lists. */
  #valuesIn({ definitionLevels, level: end }: OpenPage, start: number): number {
    if (definitionLevels.length === 0) return end - start;
    let count = 0;
    for (let level = start; level < end; level += 1)
      if (definitionLevels[level] === this.#maxDefinition) count += 1;
    return count;
  }

  /** Reads the header of a page, whose length is unknown. Returns the offset of its data. */
  async #headerAt(start: number): Promise<{ offset: number; header: PageHeader }> {
    for (let length = 1024; ; length *= 8) {
      const reader = { view: await this.#bytes.view(start, length), offset: 0 };
      try {
        const header = parquetHeader(reader);
        return { offset: start + reader.offset, header };
      } catch (error) {
        // The header may be longer, because it may contain the least and the greatest value of the page.
        if (!this.#bytes.has(start + length)) throw error;
      }
    }
  }
}

import type { DecodedArray, PageHeader } from "hyparquet";
import type { readPage } from "hyparquet/src/column.js";
import type { convertWithDictionary } from "hyparquet/src/convert.js";
import { decompressPage, readDataPage, readDataPageV2 } from "hyparquet/src/datapage.js";

/** What hyparquet needs to know about a column. */
export type ColumnDecoder = Parameters<typeof readPage>[2];

/** The levels and values of the present page, of which those before `level` and `value` were read or skipped. */
export interface OpenPage {
  readonly definitionLevels: readonly number[];
  readonly repetitionLevels: readonly number[];
  readonly values: DecodedArray;
  readonly encoding: Parameters<typeof convertWithDictionary>[2];
  readonly length: number;
  level: number;
  value: number;
}

/** Decompresses a page, and decodes its levels. */
export function openPage(view: DataView, header: PageHeader, decoder: ColumnDecoder): OpenPage {
  const { data_page_header: first, data_page_header_v2: second } = header;
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  const { codec, compressors: codecs } = decoder;
  const { definitionLevels, repetitionLevels, dataPage } =
    second === undefined
      ? readDataPage(
          decompressPage(bytes, header.uncompressed_page_size, codec, codecs),
          first!,
          decoder,
        )
      : readDataPageV2(bytes, header, decoder);
  return {
    definitionLevels: definitionLevels ?? [],
    repetitionLevels,
    values: dataPage,
    encoding: (second ?? first!).encoding,
    length: definitionLevels?.length || repetitionLevels.length || dataPage.length,
    level: 0,
    value: 0,
  };
}

import type { PageHeader } from "hyparquet";
import type { readPage } from "hyparquet/src/column.js";
import type { convertWithDictionary } from "hyparquet/src/convert.js";
import { decompressPage, readDataPage, readDataPageV2 } from "hyparquet/src/datapage.js";
import { getMaxDefinitionLevel, getMaxRepetitionLevel } from "hyparquet/src/schema.js";

import { ByteReader } from "./byte-reader.ts";
import {
  decodedValues,
  decompressed,
  type PageValues,
  readLengths,
  streamedValues,
} from "./page-values.ts";

/** What hyparquet needs to know about a column. */
export type ColumnDecoder = Parameters<typeof readPage>[2];

/** The levels and values of the present page, of which those before `level` were read or skipped. */
export interface OpenPage {
  readonly definitionLevels: readonly number[];
  readonly repetitionLevels: readonly number[];
  readonly values: PageValues;
  readonly encoding: Parameters<typeof convertWithDictionary>[2];
  readonly length: number;
  level: number;
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
    values: decodedValues(dataPage),
    encoding: (second ?? first!).encoding,
    length: definitionLevels?.length || repetitionLevels.length || dataPage.length,
    level: 0,
  };
}

/** Whether the values of a page can be read without decompressing the page whole. */
export function isStreamable(header: PageHeader, { type }: ColumnDecoder): boolean {
  const encoding = (header.data_page_header_v2 ?? header.data_page_header)?.encoding;
  const isLong = type === "BYTE_ARRAY" || type === "FIXED_LEN_BYTE_ARRAY";
  return isLong && (encoding === "PLAIN" || encoding === "DELTA_LENGTH_BYTE_ARRAY");
}

/** Opens a page whose values are decompressed as they are read. hyparquet decodes the levels, which are all in memory. */
export async function openStream(
  pieces: AsyncIterable<Uint8Array>,
  header: PageHeader,
  decoder: ColumnDecoder,
): Promise<OpenPage> {
  const { data_page_header: first, data_page_header_v2: second } = header;
  const { bytes, definitionLevels, repetitionLevels, count } =
    second === undefined
      ? await firstVersion(pieces, header, decoder)
      : await secondVersion(pieces, header, decoder);
  const { encoding, num_values: length } = (second ?? first)!;
  const { type, element } = decoder;
  const lengths = encoding === "PLAIN" ? undefined : await readLengths(bytes, count);
  const width = type === "FIXED_LEN_BYTE_ARRAY" ? element.type_length : undefined;
  const values = streamedValues(bytes, lengths, width);
  return { definitionLevels, repetitionLevels, values, encoding, length, level: 0 };
}

interface Levels {
  /** The values, after the levels. */
  readonly bytes: ByteReader;
  readonly definitionLevels: readonly number[];
  readonly repetitionLevels: readonly number[];
  /** The number of values that are not null. */
  readonly count: number;
}

/** The levels of a page of version 1 are compressed with its values; each kind follows its length. */
async function firstVersion(
  pieces: AsyncIterable<Uint8Array>,
  header: PageHeader,
  decoder: ColumnDecoder,
): Promise<Levels> {
  const { schemaPath, codec } = decoder;
  const bytes = new ByteReader(decompressed(pieces, codec, header.uncompressed_page_size));
  const parts: Uint8Array[] = [];
  for (const level of [getMaxRepetitionLevel(schemaPath), getMaxDefinitionLevel(schemaPath)]) {
    if (level === 0) continue;
    await bytes.fill(4);
    const length = bytes.view().getUint32(0, true);
    await bytes.fill(4 + length);
    parts.push(bytes.take(4 + length));
  }
  // Indices of 0 bits stand for the values, which hyparquet would decode all.
  const { definitionLevels, repetitionLevels, dataPage } = readDataPage(
    Buffer.concat([...parts, new Uint8Array(1)]),
    { ...header.data_page_header!, encoding: "RLE_DICTIONARY" },
    decoder,
  );
  const count = dataPage.length;
  return { bytes, definitionLevels: definitionLevels ?? [], repetitionLevels, count };
}

/** The levels of a page of version 2 are not compressed. */
async function secondVersion(
  pieces: AsyncIterable<Uint8Array>,
  header: PageHeader,
  decoder: ColumnDecoder,
): Promise<Levels> {
  const page = header.data_page_header_v2!;
  const raw = new ByteReader(pieces);
  const size = page.repetition_levels_byte_length + page.definition_levels_byte_length;
  await raw.fill(size);
  const withoutValues = {
    ...page,
    num_nulls: page.num_values,
    encoding: "PLAIN",
    is_compressed: false,
  } as const;
  const { definitionLevels, repetitionLevels } = readDataPageV2(
    raw.take(size),
    { ...header, data_page_header_v2: withoutValues },
    decoder,
  );
  const codec = page.is_compressed === false ? "UNCOMPRESSED" : decoder.codec;
  return {
    bytes: new ByteReader(decompressed(raw, codec, header.uncompressed_page_size - size)),
    definitionLevels: definitionLevels ?? [],
    repetitionLevels,
    count: page.num_values - page.num_nulls,
  };
}

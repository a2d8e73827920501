import type { Random } from "@envs/core";

import type { DataFile } from "../files/data-file.ts";
import { reading, unreadable } from "../files/read-text.ts";
import type { Cells, Chunk, Selection } from "../rows.ts";
import { matches } from "../where.ts";
import { ColumnReader } from "./column-reader.ts";
import { openParquet, type ParquetFile } from "./open-parquet.ts";
import { pruningFilterOf } from "./pruning-filter.ts";

/** How much is decoded at once: rows, or bytes of decompressed pages, which take several times that much memory. */
const maxBlock = { rows: 2000, bytes: 2 ** 21 };

/** A Parquet file; its chunks are its row groups. */
export async function parquetFormat(
  file: DataFile,
  selection: Selection,
): Promise<readonly Chunk[]> {
  const { name } = file;
  try {
    const parquet = await openParquet(await file.path());
    const names = parquet.columns.map(({ element }) => element.name);
    const filtered = Object.keys(selection.conditions ?? {});
    const wanted = selection.columns ?? names;
    const columns = names.filter((column) => wanted.includes(column) || filtered.includes(column));
    const ends = rowGroupEnds(parquet);
    const ranges = await parquet.ranges(pruningFilterOf(selection.conditions, parquet.columns));
    return ranges.map(({ rowStart, rowEnd }): Chunk => {
      const index = ends.findIndex((end) => rowStart < end);
      const group = { index, rowStart, count: rowEnd - rowStart };
      return {
        columns: names,
        rows: (random, start) =>
          reading(name, () => readGroup(parquet, { group, columns, selection, start }, random)),
        count: async () => group.count,
        locationOf: (position) => `${name}, row ${position} (row group ${index})`,
      };
    });
  } catch (error) {
    throw unreadable(name, error);
  }
}

interface GroupRead {
  readonly group: { readonly index: number; readonly rowStart: number; readonly count: number };
  readonly columns: readonly string[];
  readonly selection: Selection;
  /** The number of rows to skip. */
  readonly start: number;
}

/** Reads a row group block by block: the columns of the conditions first, and the others only if a row meets the conditions. */
async function* readGroup(
  parquet: ParquetFile,
  { group: { index, rowStart, count }, columns, selection, start: first }: GroupRead,
  random: Random | undefined,
): AsyncGenerator<readonly [number, Cells]> {
  const { conditions = {} } = selection;
  const rowGroup = parquet.metadata.row_groups[index]!;
  // In random order, a page that is decompressed whole is decompressed once.
  const maxPage = random === undefined ? undefined : Infinity;
  const readers = columns.map((name) => new ColumnReader(parquet, rowGroup, name, maxPage));
  const [filters, others] = [true, false].map((isFilter) =>
    readers.filter(({ name }) => name in conditions === isFilter),
  );
  const size = blockSize(readers, count);
  const blocks = Array.from(
    { length: Math.ceil((count - first) / size) },
    (_, block) => first + block * size,
  );
  for (const start of random?.shuffle(blocks) ?? blocks) {
    const length = Math.min(size, count - start);
    const values = new Map<string, readonly unknown[]>();
    const read = async (some: readonly ColumnReader[]): Promise<void> => {
      for (const reader of some) values.set(reader.name, await reader.read(start, start + length));
    };
    const rowAt = (position: number): Cells => {
      const cells: Record<string, unknown> = {};
      for (const name of columns) cells[name] = values.get(name)?.[position] ?? null;
      return cells;
    };
    await read(filters!);
    let positions = Array.from({ length }, (_, position) => position);
    if (filters!.length > 0)
      positions = positions.filter((position) => matches(rowAt(position), conditions));
    if (positions.length === 0) continue;
    await read(others!);
    for (const position of random?.shuffle(positions) ?? positions)
      yield [rowStart + start + position, rowAt(position)];
  }
}

/** The number of rows that are decoded at once. */
function blockSize(readers: readonly ColumnReader[], count: number): number {
  const bytes = readers.reduce((sum, reader) => sum + reader.size, 0) / count;
  return Math.max(1, Math.min(maxBlock.rows, Math.floor(maxBlock.bytes / bytes)));
}

function rowGroupEnds({ metadata }: ParquetFile): readonly number[] {
  const ends: number[] = [];
  for (const group of metadata.row_groups) ends.push((ends.at(-1) ?? 0) + Number(group.num_rows));
  return ends;
}

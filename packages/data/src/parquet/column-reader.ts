import type { RowGroup, SchemaTree } from "hyparquet";
import { assembleNested } from "hyparquet/src/assemble.js";
import { getTreePath } from "hyparquet/src/schema.js";

import { LeafReader, parsers } from "./leaf-reader.ts";
import type { ParquetFile } from "./open-parquet.ts";
import { converterOf } from "./values.ts";

/** Reads the rows of a column, as JSON, with all physical columns below it. */
export class ColumnReader {
  readonly name: string;
  /** The size of the decompressed pages in bytes. */
  readonly size: number;
  readonly #tree: SchemaTree;
  readonly #leaves: ReadonlyMap<string, LeafReader>;
  readonly #convert: ReturnType<typeof converterOf>;

  /** Larger pages of texts than `maxPage` bytes are fast for ascending rows only. */
  constructor(
    { buffer, columns, decoded }: ParquetFile,
    group: RowGroup,
    name: string,
    maxPage = 2 ** 22,
  ) {
    const index = columns.findIndex(({ element }) => element.name === name);
    const tree = decoded.children[index]!;
    const chunks = group.columns.filter(({ meta_data: meta }) => meta?.path_in_schema[0] === name);
    this.name = name;
    this.size = chunks.reduce(
      (sum, { meta_data: meta }) => sum + Number(meta!.total_uncompressed_size),
      0,
    );
    this.#tree = tree;
    this.#convert = converterOf(columns[index]!);
    this.#leaves = new Map(
      chunks.map((chunk) => {
        const path = chunk.meta_data!.path_in_schema;
        return [path.join("."), new LeafReader(buffer, chunk, getTreePath(decoded, path), maxPage)];
      }),
    );
  }

  async read(start: number, end: number): Promise<readonly unknown[]> {
    const leaves = new Map<string, unknown[]>();
    for (const [path, leaf] of this.#leaves) leaves.set(path, await leaf.read(start, end));
    if (this.#tree.children.length > 0) assembleNested(leaves, this.#tree, parsers);
    const values = leaves.get(this.name)!;
    return this.#convert === undefined ? values : values.map(this.#convert);
  }
}

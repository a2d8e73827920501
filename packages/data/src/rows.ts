import { ConfigError, dataset, type Random } from "@envs/core";
import { eventLoopYield } from "@envs/core/engine";
import * as z from "zod";

import type { DataFile } from "./files/data-file.ts";
import type { RowOptions } from "./options.ts";
import { type Conditions, conditionsOf, matches } from "./where.ts";

/** The cells of a row, by the names of the file. */
export type Cells = Readonly<Record<string, unknown>>;

/** A part of a file that is read in one pass. */
export interface Chunk {
  /** The columns of the file, if its rows may lack some. */
  readonly columns?: readonly string[] | undefined;
  /** Yields cells with their position, in random order if the chunk can and `random` is given. Else skips the first `start` rows. */
  rows(random: Random | undefined, start: number): AsyncIterable<readonly [number, Cells]>;
  /** Counts the rows; reads as little as the format allows. */
  count(): Promise<number>;
  /** The place of the row in its file, for error messages. */
  locationOf(position: number): string;
}

/** The columns and conditions of a read, by which a format skips data. */
export interface Selection {
  /** The columns to read, by the names of the file; `undefined` for all. */
  readonly columns: readonly string[] | undefined;
  readonly conditions: Conditions | undefined;
}

/** Divides a file into chunks. */
export type Format = (file: DataFile, selection: Selection) => Promise<readonly Chunk[]>;

/** The rows of files as a dataset. Files are read when a row of them is needed, and again by each iteration. */
export function rowsOf<Schema extends z.ZodType>(
  files: () => readonly DataFile[] | Promise<readonly DataFile[]>,
  formatOf: (file: DataFile) => Format,
  options: RowOptions<Schema>,
): AsyncIterable<z.output<Schema>> {
  const random = options.shuffle;
  const conditions = options.where === undefined ? undefined : conditionsOf(options.where);
  const selection = { columns: columnsOf(options), conditions };
  const check = rowCheck(options);

  async function* read(start = 0): AsyncGenerator<z.output<Schema>> {
    const yieldIfBusy = eventLoopYield();
    let skipped = start;
    for (const file of permuted(await files(), random))
      for (const chunk of permuted(await formatOf(file)(file, selection), random)) {
        const count = skipped === 0 ? Infinity : await chunk.count();
        if (skipped >= count) {
          skipped -= count;
          continue;
        }
        for await (const [position, cells] of chunk.rows(random, skipped)) {
          await yieldIfBusy();
          if (conditions !== undefined && !matches(cells, conditions)) continue;
          yield check(cells, () => ({ chunk, location: chunk.locationOf(position) }));
        }
        skipped = 0;
      }
  }

  const rows = {
    [Symbol.asyncIterator]: () => (random === undefined ? read() : dataset.shuffle(read(), random)),
  };
  // A run of some positions starts at them; core finds the method.
  return random === undefined && conditions === undefined
    ? Object.assign(rows, { from: read })
    : rows;
}

function permuted<Item>(items: readonly Item[], random: Random | undefined): readonly Item[] {
  return random === undefined ? items : random.shuffle(items);
}

/** The columns that the schema names, by the names of the file; `undefined` if the schema accepts others too. */
function columnsOf(options: RowOptions<z.ZodType>): readonly string[] | undefined {
  const shape = shapeOf(options.schema);
  if (shape === undefined) return undefined;
  const renamed: Readonly<Record<string, string | undefined>> = options.columns ?? {};
  return shape.map((name) => renamed[name] ?? name);
}

function shapeOf(schema: z.core.$ZodType): readonly string[] | undefined {
  const { def } = schema._zod as z.core.$ZodTypes["_zod"];
  if (def.type === "pipe") return shapeOf(def.in);
  return def.type === "object" && def.catchall === undefined ? Object.keys(def.shape) : undefined;
}

/** Renames the cells of a row and checks them. */
function rowCheck<Schema extends z.ZodType>({ schema, columns = {} }: RowOptions<Schema>) {
  const renames = Object.entries(columns as Readonly<Record<string, string | undefined>>);
  return (cells: Cells, placeOf: () => { chunk: Chunk; location: string }): z.output<Schema> => {
    let named: Record<string, unknown> = cells;
    if (renames.length > 0) {
      named = { ...cells };
      for (const [name, column] of renames) if (column !== undefined) named[name] = cells[column];
    }
    const parsed = schema.safeParse(named);
    if (parsed.success) return parsed.data;
    const { chunk, location } = placeOf();
    const names = (chunk.columns ?? Object.keys(cells)).join(", ") || "no columns";
    throw new ConfigError(
      `${location} does not match the schema:\n${z.prettifyError(parsed.error)}\nThe row has: ${names}.`,
    );
  };
}

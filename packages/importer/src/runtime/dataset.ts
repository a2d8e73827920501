import type { Message } from "@envs/core";
import { random } from "@envs/core";
import { huggingFace, jsonl, parquet } from "@envs/data";
import * as z from "zod";

type Rows = Iterable<any> | AsyncIterable<any>;

async function collect(rows: Rows): Promise<any[]> {
  const all: any[] = [];
  for await (const row of rows) all.push(row);
  return all;
}

/** Rows with the methods of a dataset of Hugging Face. Nothing is read before the first row is needed. */
export class Dataset implements AsyncIterable<any> {
  readonly #rows: () => Rows;
  readonly #split: ((name: string) => Dataset) | undefined;

  constructor(rows: () => Rows, split?: (name: string) => Dataset) {
    this.#rows = rows;
    this.#split = split;
  }

  /** `Dataset.from_list`. */
  static from(rows: any): Dataset {
    return new Dataset((): Rows => (typeof rows === "function" ? rows() : rows));
  }

  /** `Dataset.from_dict`: columns. */
  static fromColumns(columns: any): Dataset {
    const names = Object.keys(columns);
    const length = columns[names[0]!]?.length ?? 0;
    return Dataset.from(
      Array.from({ length }, (_, at) =>
        Object.fromEntries(names.map((name) => [name, columns[name][at]])),
      ),
    );
  }

  /** `concatenate_datasets`. */
  static concatenate(datasets: any[]): Dataset {
    return new Dataset(async function* (): AsyncGenerator<any> {
      for (const dataset of datasets) yield* dataset;
    });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<any> {
    yield* this.#rows();
  }

  toArray(): Promise<any[]> {
    return collect(this.#rows());
  }

  /** `dataset["train"]` of all splits. */
  split(name: string): Dataset {
    if (this.#split === undefined) throw new Error(`The dataset has no split ${name}.`);
    return this.#split(name);
  }

  /** A mapped row has the columns of the row before, and those that `change` returns. */
  map(change: any, removedColumns: any = []): Dataset {
    const rows = this.#rows;
    return this.#with(
      async function* (): AsyncGenerator<any> {
        let at = 0;
        for await (const row of rows()) {
          const kept = { ...row };
          for (const column of removedColumns === "all"
            ? Object.keys(row)
            : [removedColumns].flat())
            delete kept[column];
          yield { ...kept, ...(await change(row, at++)) };
        }
      },
      (dataset: Dataset) => dataset.map(change, removedColumns),
    );
  }

  filter(keep: any): Dataset {
    const rows = this.#rows;
    return this.#with(
      async function* (): AsyncGenerator<any> {
        for await (const row of rows()) if (await keep(row)) yield row;
      },
      (dataset: Dataset) => dataset.filter(keep),
    );
  }

  /** `select(range(first, last))`. */
  slice(first: number, last: number = Infinity): Dataset {
    const rows = this.#rows;
    return this.#with(
      async function* (): AsyncGenerator<any> {
        let at = 0;
        for await (const row of rows()) {
          if (at >= last) return;
          if (at++ >= first) yield row;
        }
      },
      (dataset: Dataset) => dataset.slice(first, last),
    );
  }

  select(indices: any): Dataset {
    const rows = this.#rows;
    return this.#with(
      async function* (): AsyncGenerator<any> {
        const all = await collect(rows());
        for (const at of indices) if (at < all.length) yield all[at];
      },
      (dataset: Dataset) => dataset.select(indices),
    );
  }

  /** Reads all rows first. The order differs from Python's. */
  shuffle(seed: any = 0): Dataset {
    const rows = this.#rows;
    return this.#with(
      async function* (): AsyncGenerator<any> {
        yield* random("shuffle", `${seed}`).shuffle(await collect(rows()));
      },
      (dataset: Dataset) => dataset.shuffle(seed),
    );
  }

  renameColumn(from: string, to: string): Dataset {
    return this.map((row: any) => ({ [to]: row[from] }), from);
  }

  removeColumns(columns: any): Dataset {
    return this.map(() => ({}), columns);
  }

  selectColumns(columns: any): Dataset {
    const pick = (row: any) =>
      Object.fromEntries([columns].flat().map((column: string) => [column, row[column]]));
    return this.map(pick, "all");
  }

  #with(rows: () => Rows, change: (dataset: Dataset) => Dataset): Dataset {
    const split = this.#split;
    return new Dataset(rows, split && ((name) => change(split(name))));
  }
}

/** Options of {@link loadDataset}. */
export interface LoadOptions {
  readonly config?: any;
  readonly split?: any;
  readonly revision?: any;
}

/** `load_dataset`, also with a part of a split such as `train[:100]`. Narrow the schema to the columns that you need. */
export function loadDataset(name: any, { config, split, revision }: LoadOptions = {}): Dataset {
  const rowsOf = (wanted: string): Rows =>
    huggingFace(name, {
      split: wanted,
      config: config ?? undefined,
      revision,
      schema: z.looseObject({}),
    });
  return loadSplit(rowsOf, split);
}

/** `load_dataset("json", data_files=…)`: one path, several, or those of each split. */
export function loadFiles(format: "json" | "parquet", files: any, split?: any): Dataset {
  const read = format === "json" ? jsonl : parquet;
  const rowsOf = (wanted: string): Rows => {
    const own = typeof files === "string" || Array.isArray(files) ? files : files[wanted];
    if (own === undefined) throw new Error(`data_files has no split ${wanted}.`);
    return read(own, { schema: z.looseObject({}) });
  };
  return loadSplit(rowsOf, split);
}

function loadSplit(rowsOf: (split: string) => Rows, split: any): Dataset {
  const load = (wanted: string): Dataset => {
    const [, name, from, to] = /^(\w+)(?:\[(\d*):(\d*)\])?$/.exec(wanted) ?? [];
    if (name === undefined) throw new Error(`Cannot read the split ${wanted}.`);
    const rows: Dataset = new Dataset(() => rowsOf(name));
    return from || to ? rows.slice(Number(from || 0), to ? Number(to) : Infinity) : rows;
  };
  return split ? load(split) : new Dataset(() => load("train"), load);
}

/** An example with the columns of a row of verifiers. */
export interface ImportedExample {
  readonly prompt: string | readonly Message[];
  readonly [column: string]: any;
}

/** Makes rows of verifiers examples: `question` becomes the prompt, and `info` is parsed if it is JSON text. */
export function examples(dataset: any): AsyncIterable<ImportedExample> {
  const rows = dataset instanceof Dataset ? dataset : Dataset.from(dataset);
  return {
    async *[Symbol.asyncIterator](): AsyncGenerator<ImportedExample> {
      for await (const { question, prompt, info, id, example_id: _, ...columns } of rows)
        yield {
          ...columns,
          prompt: prompt ?? question,
          ...(id == null || id === "" ? {} : { id: `${id}` }),
          ...(info == null ? {} : { info: typeof info === "string" ? JSON.parse(info) : info }),
        };
    },
  };
}

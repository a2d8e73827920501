import { readFile, stat } from "node:fs/promises";
import { basename } from "node:path";

import { type Fields, fieldsOf, listOf, numberOf, parseJson, textOf } from "@envs/records";

import { RecordIndexer } from "../../record/index-records.ts";
import { RowIds } from "../../record/row-ids.ts";
import type { RolloutRow, RunHead } from "../../run/run.ts";
import { type RunReader, shareCalls, UnknownRunError } from "../runs/run-reader.ts";
import { summaryRow } from "./summary-row.ts";
import { readZipDirectory, readZipEntry, type ZipEntry } from "./zip.ts";

/** Opens a log of Inspect: an `.eval` archive, or a `.json` file. */
export function openInspectLog(path: string, id: string): RunReader {
  const log = path.endsWith(".json") ? new JsonLog(path) : new ArchiveLog(path);
  let modified = 0;
  let generation = -1;
  const refresh = shareCalls(async () => {
    const { mtimeMs } = await stat(path);
    if (mtimeMs === modified) return;
    modified = mtimeMs;
    generation += 1;
    await log.read();
  });
  return {
    id,
    path,
    get generation() {
      return Math.max(0, generation);
    },
    get rows() {
      return log.rows;
    },
    curves: [],
    linesPath: undefined,
    async readHead() {
      await refresh();
      return headOf(log, { id, place: path });
    },
    refresh,
    readRecord: (row) => log.readRecord(row),
  };
}

interface InspectLog {
  readonly header: Fields;
  readonly rows: readonly RolloutRow[];
  read(): Promise<void>;
  readRecord(row: RolloutRow): Promise<string>;
}

function headOf(log: InspectLog, { id, place }: Pick<RunHead, "id" | "place">): RunHead {
  const evaluation = fieldsOf(log.header["eval"]);
  const dataset = fieldsOf(evaluation["dataset"]);
  const status = textOf(log.header["status"]);
  const samples = numberOf(dataset["samples"]);
  const epochs = numberOf(fieldsOf(evaluation["config"])["epochs"]) ?? 1;
  return {
    id,
    kind: "evaluation",
    environment: textOf(evaluation["task"]) ?? basename(place),
    model: textOf(evaluation["model"]) ?? "unknown",
    date: textOf(evaluation["created"]) ?? null,
    reward: null,
    rollouts: log.rows.length,
    isComplete: status !== undefined && status !== "started",
    place,
    scores: [],
    passThreshold: 0.5,
    format: "inspect",
    metadata: log.header,
    planned: samples === undefined ? null : samples * epochs,
    steps: [],
  };
}

/** The `.eval` archive: one JSON file per sample, and the summaries of all samples in one. */
class ArchiveLog implements InspectLog {
  readonly #path: string;
  header: Fields = {};
  rows: readonly RolloutRow[] = [];
  #entries = new Map<string, ZipEntry>();
  #names = new Map<string, string>();

  constructor(path: string) {
    this.#path = path;
  }

  async read(): Promise<void> {
    const entries = new Map<string, ZipEntry>();
    for (const entry of await readZipDirectory(this.#path)) entries.set(entry.name, entry);
    this.#entries = entries;
    this.header = fieldsOf(
      (await this.#readJson("header.json")) ?? (await this.#readJson("_journal/start.json")),
    );
    const names = new Map<string, string>();
    const ids = new RowIds();
    this.rows = (await this.#readSummaries()).map((summary) => {
      const row = summaryRow(fieldsOf(summary), ids);
      names.set(row.id, `samples/${row.example}_epoch_${row.rollout + 1}`);
      return row;
    });
    this.#names = names;
  }

  /** While the evaluation runs, the journal has the summaries, in files that are numbered from 1. */
  async #readSummaries(): Promise<readonly unknown[]> {
    const all = await this.#readJson("summaries.json");
    if (Array.isArray(all)) return all;
    const journal = [...this.#entries.keys()]
      .flatMap((name) => /^_journal\/summaries\/(\d+)\.json$/u.exec(name) ?? [])
      .filter((part) => /^\d+$/u.test(part))
      .toSorted((a, b) => Number(a) - Number(b));
    const parts: unknown[] = [];
    for (const number of journal)
      parts.push(...listOf(await this.#readJson(`_journal/summaries/${number}.json`)));
    return parts;
  }

  async readRecord({ id }: RolloutRow): Promise<string> {
    const name = this.#names.get(id) ?? "";
    const entry = this.#entries.get(`${name}.json`);
    if (entry !== undefined) return readZipEntry(this.#path, entry);
    if (this.#entries.has(`${name}/sample.json`))
      return JSON.stringify(await this.#joinChunks(name));
    throw new UnknownRunError(`The log has no file ${name}.json: the sample was not saved.`);
  }

  /** Version 3 of the format stores long samples in parts, each named by the index of its first item. */
  async #joinChunks(name: string): Promise<Fields> {
    const sequence = async (part: string): Promise<readonly unknown[]> => {
      const folder = `${name}/${part}/`;
      const starts = [...this.#entries.keys()]
        .filter((entry) => entry.startsWith(folder))
        .flatMap((entry) => /^(\d+)\.json$/u.exec(entry.slice(folder.length))?.[1] ?? []);
      const items: unknown[] = [];
      for (const start of starts.toSorted((a, b) => Number(a) - Number(b)))
        items.push(...listOf(await this.#readJson(`${name}/${part}/${start}.json`)));
      return items;
    };
    return {
      ...fieldsOf(await this.#readJson(`${name}/sample.json`)),
      messages: await sequence("messages"),
      attachments: Object.fromEntries((await sequence("attachments")).entries()),
    };
  }

  async #readJson(name: string): Promise<unknown> {
    const entry = this.#entries.get(name);
    return entry === undefined ? undefined : parseJson(await readZipEntry(this.#path, entry));
  }
}

/** The `.json` log: the header and all samples in one object. */
class JsonLog implements InspectLog {
  readonly #path: string;
  header: Fields = {};
  rows: readonly RolloutRow[] = [];
  #records = new Map<string, string>();

  constructor(path: string) {
    this.#path = path;
  }

  async read(): Promise<void> {
    let log: Fields;
    try {
      log = fieldsOf(parseJson(await readFile(this.#path, "utf8")));
    } catch (error) {
      throw new UnknownRunError(`${this.#path} is not a complete JSON file: ${String(error)}`);
    }
    if (log["eval"] === undefined)
      throw new UnknownRunError(
        `${this.#path} is JSON, but not a log of Inspect: "eval" is missing.`,
      );
    const { samples, ...header } = log;
    this.header = header;
    const indexer = new RecordIndexer();
    const records = new Map<string, string>();
    const rows: RolloutRow[] = [];
    for (const sample of listOf(samples)) {
      const text = JSON.stringify(sample);
      for (const row of indexer.add(text)) {
        rows.push(row);
        records.set(row.id, text);
      }
    }
    this.rows = rows;
    this.#records = records;
  }

  async readRecord({ id }: RolloutRow): Promise<string> {
    const text = this.#records.get(id);
    if (text === undefined) throw new UnknownRunError(`The log has no sample ${id}.`);
    return text;
  }
}

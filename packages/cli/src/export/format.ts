import type { Environment } from "@envs/core";

import type { LoadedEnvironment } from "../environments/load-environment.ts";

/** A file to write. */
export interface ExportedFile {
  /** Below the folder that is written to; a form of one file has one name. */
  readonly path: string;
  readonly text: string;
  /** Somebody runs it. */
  readonly isProgram?: boolean;
}

/** What an export makes. */
export interface Exported {
  readonly files: readonly ExportedFile[];
  /** What the person should know, a sentence each: what was left out, what comes next. */
  readonly notes?: readonly string[];
}

/** An environment to train on, and what a person chose of it. */
export interface TrainingSource {
  readonly environment: Environment;
  readonly loaded: LoadedEnvironment;
  readonly config: Readonly<Record<string, unknown>>;
  /** Where `envs serve` is. */
  readonly url: string;
  /** The split to learn from, as servers name it: `train` if the dataset is not divided. */
  readonly split: string;
  /** Whether the dataset is divided at all. */
  readonly isDivided: boolean;
  /** How many examples, from the first. */
  readonly count: number;
  readonly seed: number;
  /** The model to be trained, as its trainer names it. */
  readonly model: string;
}

/** A line of JSON for each row. */
export function jsonLines(rows: readonly unknown[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join("");
}

/** A JSON string is a string of TOML, Python and YAML, too, once it has no characters that TOML refuses. */
export function quoted(text: string): string {
  return JSON.stringify(text).replaceAll("\u007F", String.raw`\u007F`);
}

/** How a person serves this environment where the trainer looks for it, for the head of what is written. */
export function serveCommand({ loaded, config, url, seed }: TrainingSource): string {
  const { hostname, port, protocol } = new URL(url);
  const listened = port === "" ? (protocol === "https:" ? "443" : "80") : port;
  const isHere = ["127.0.0.1", "localhost"].includes(hostname);
  return [
    `envs serve ${loaded.reference}`,
    ...(Object.keys(config).length === 0 ? [] : [`--config '${JSON.stringify(config)}'`]),
    ...(seed === 0 ? [] : [`--seed ${seed}`]),
    ...(listened === "8000" ? [] : [`--port ${listened}`]),
    ...(isHere ? [] : ["--host 0.0.0.0"]),
  ].join(" ");
}

/** All items, once they have come. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

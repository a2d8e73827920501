import { existsSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";

import { findRuns } from "@envs/records/node";

import type { RunEntry } from "../../run/run.ts";
import { openInspectLog } from "../inspect/inspect-run.ts";
import { isEvaluationFolder, openEvaluation } from "./evaluation-run.ts";
import { runId } from "./run-id.ts";
import { type RunReader, UnknownRunError } from "./run-reader.ts";
import { isTrainingFolder, openTraining } from "./training-run.ts";

/** The runs that a viewer on this machine can open: some by their paths, the others from the folder in which runs are saved. */
export class Workspace {
  readonly #outputs: string | undefined;
  readonly #readers = new Map<string, RunReader>();

  /** Without `outputs`, only the runs that {@link open} was called with can be opened. */
  constructor(outputs?: string) {
    this.#outputs = outputs;
  }

  /** Opens a run by its path. Throws an {@link UnknownRunError} if it is not one. */
  open(path: string): RunReader {
    const id = runId(path);
    const known = this.#readers.get(id);
    if (known !== undefined) return known;
    const reader = openRun(resolve(path), id);
    this.#readers.set(id, reader);
    return reader;
  }

  /** Returns a run by its id; `undefined` if the workspace does not have it. */
  async find(id: string): Promise<RunReader | undefined> {
    const known = this.#readers.get(id);
    if (known !== undefined) return known;
    await this.#discover();
    return this.#readers.get(id);
  }

  /** The runs that were opened by path, then those of the folder, the newest first. */
  async list(): Promise<readonly RunEntry[]> {
    const opened = new Set(this.#readers.keys());
    await this.#discover();
    const entries: RunEntry[] = [];
    for (const reader of this.#readers.values()) entries.push(await entryOf(reader));
    const isOpened = (id: string): number => Number(!opened.has(id));
    return entries.toSorted(
      (a, b) => isOpened(a.id) - isOpened(b.id) || (b.date ?? "").localeCompare(a.date ?? ""),
    );
  }

  /** Opens the steps of a training whose rollouts are saved; none for an evaluation. */
  async openSteps({ path }: RunReader): Promise<readonly RunReader[]> {
    const steps = await folders(join(path, "rollouts"));
    return steps
      .map((name) => join(path, "rollouts", name))
      .filter(isEvaluationFolder)
      .map((step) => this.open(step));
  }

  async #discover(): Promise<void> {
    if (this.#outputs !== undefined)
      for (const path of [
        ...(await findRuns(this.#outputs)),
        ...(await findTrainings(this.#outputs)),
      ])
        this.open(path);
    const readers = Array.from(this.#readers.values());
    for (const reader of readers) if (isTrainingFolder(reader.path)) await this.openSteps(reader);
  }
}

async function entryOf(reader: RunReader): Promise<RunEntry> {
  try {
    const { scores: _, metadata: __, steps: ___, ...entry } = await reader.readHead();
    return entry;
  } catch {
    // Ignores the error, which the user sees when opening the run.
    return {
      id: reader.id,
      kind: "evaluation",
      environment: basename(reader.path),
      model: "",
      date: null,
      reward: null,
      rollouts: null,
      isComplete: true,
      place: reader.path,
    };
  }
}

function openRun(path: string, id: string): RunReader {
  if (!existsSync(path)) throw new UnknownRunError(`${path} does not exist.`);
  if (/\.eval$|\.json$/u.test(path)) return openInspectLog(path, id);
  if (isTrainingFolder(path)) return openTraining(path, id);
  if (isEvaluationFolder(path)) return openEvaluation(path, id);
  throw new UnknownRunError(
    `${path} is not a run: it has neither metadata.json, run.json nor traces.jsonl. Pass the folder of a run of envs or of verifiers, or an .eval or .json log of Inspect.`,
  );
}

/** The folders of all training runs: `<outputs>/train/<environment>/<run>`. */
async function findTrainings(outputs: string): Promise<readonly string[]> {
  const root = join(outputs, "train");
  const paths: string[] = [];
  for (const environment of await folders(root))
    for (const run of await folders(join(root, environment)))
      paths.push(join(root, environment, run));
  return paths.filter(isTrainingFolder);
}

async function folders(path: string): Promise<readonly string[]> {
  const names = await readdir(path).catch((): string[] => []);
  const found: string[] = [];
  for (const name of names)
    if ((await stat(join(path, name)).catch(() => undefined))?.isDirectory() === true)
      found.push(name);
  return found;
}

import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { type Fields, fieldsOf, numberOf, parseJson, textOf } from "@envs/records";

import type { CurvePoint, RunHead, TrainingStep } from "../../run/run.ts";
import { readLines } from "../json-lines.ts";
import { runId } from "./run-id.ts";
import { type RunReader, shareCalls } from "./run-reader.ts";

/** Whether a folder is a run of `envs train`. */
export function isTrainingFolder(path: string): boolean {
  return existsSync(join(path, "run.json"));
}

/** Opens the folder of a training run: its curves, and the steps whose rollouts are saved. */
export function openTraining(path: string, id: string): RunReader {
  let points: CurvePoint[] = [];
  let offset = 0;
  let generation = 0;
  const file = join(path, "metrics.jsonl");

  const refresh = shareCalls(async () => {
    if (!existsSync(file)) return;
    for await (const lines of readLines(file, offset))
      for (const { text, offset: start, length } of lines) {
        const point = readPoint(text ?? "");
        // A resumed training removes the rows after its checkpoint and writes them again.
        const last = points.at(-1);
        if (point !== undefined && last !== undefined && isBefore(point, last)) {
          points = points.filter((other) => !isSame(other, point));
          generation += 1;
        }
        if (point !== undefined) points.push(point);
        offset = start + length + 1;
      }
  });

  return {
    id,
    path,
    get generation() {
      return generation;
    },
    rows: [],
    get curves() {
      return points;
    },
    linesPath: undefined,
    readHead: () => readHead(path, id),
    refresh,
    readRecord: () =>
      Promise.reject(new TypeError("The rollouts of a training belong to its steps.")),
  };
}

async function readHead(path: string, id: string): Promise<RunHead> {
  const record = await readFile(join(path, "run.json"), "utf8").then(parseJson, () => ({}));
  const { environment, plan, date, is_complete: isComplete } = fieldsOf(record);
  const from = textOf(fieldsOf(fieldsOf(plan)["model"])["from"]);
  return {
    id,
    kind: "training",
    environment: textOf(fieldsOf(environment)["name"]) ?? "unknown",
    model: from === undefined ? "training" : `training from ${from}`,
    date: textOf(date) ?? null,
    reward: null,
    rollouts: null,
    isComplete: isComplete !== false,
    place: path,
    scores: [],
    passThreshold: 0.5,
    format: "envs",
    metadata: record,
    planned: null,
    steps: await readSteps(path, Object.keys(fieldsOf(fieldsOf(plan)["phases"]))),
  };
}

/** The saved steps, in the order of the plan's phases. */
async function readSteps(
  path: string,
  phases: readonly string[],
): Promise<readonly TrainingStep[]> {
  const folder = join(path, "rollouts");
  const names = await readdir(folder).catch((): string[] => []);
  return names
    .flatMap((name): TrainingStep[] => {
      const [, phase, step] = /^(.*)-(\d+)$/u.exec(name) ?? [];
      if (phase === undefined || !existsSync(join(folder, name, "metadata.json"))) return [];
      return [{ phase, step: Number(step), run: runId(join(folder, name)) }];
    })
    .toSorted((a, b) => phases.indexOf(a.phase) - phases.indexOf(b.phase) || a.step - b.step);
}

function readPoint(text: string): CurvePoint | undefined {
  let row: Fields;
  try {
    row = fieldsOf(parseJson(text));
  } catch {
    return undefined;
  }
  const phase = textOf(row["phase"]);
  const step = numberOf(row["step"]);
  if (phase === undefined || step === undefined) return undefined;
  const values = Object.entries(fieldsOf(row["values"]));
  return {
    phase,
    step,
    kind: textOf(row["kind"]) ?? "rl",
    at: numberOf(row["at"]) ?? 0,
    values: Object.fromEntries(values.map(([name, value]) => [name, numberOf(value) ?? null])),
  };
}

function isBefore(point: CurvePoint, last: CurvePoint): boolean {
  return point.phase === last.phase && point.kind === last.kind && point.step <= last.step;
}

function isSame(a: CurvePoint, b: CurvePoint): boolean {
  return a.phase === b.phase && a.kind === b.kind && a.step === b.step;
}

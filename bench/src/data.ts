import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { jsonl, parquet } from "@envs/data";
import * as z from "zod";

import { virtualEnvironment } from "../../tooling/src/virtual-environment.ts";
import { type Figure, seconds } from "./figure.ts";
import { rate, speedup } from "./rounds.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");
const script = join(import.meta.dirname, "data/datasets_rows.py");
const count = 50_000;
const roundCount = 3;

const two = z.object({ question: z.string(), answer: z.string() });
const all = two.extend({
  id: z.number(),
  level: z.number(),
  messages: z.array(z.object({ role: z.string(), content: z.string() })),
});

interface Task {
  readonly name: string;
  readonly ours: (folder: string) => AsyncIterable<{ readonly question: string }>;
  /** Format, file and columns for the script. */
  readonly theirs: readonly [string, string, ...string[]];
}

const tasks: readonly Task[] = [
  {
    name: "Parquet, all columns",
    ours: (folder) => parquet(join(folder, "rows.parquet"), { schema: all }),
    theirs: ["parquet", "rows.parquet"],
  },
  {
    name: "Parquet, two columns of text",
    ours: (folder) => parquet(join(folder, "rows.parquet"), { schema: two }),
    theirs: ["parquet", "rows.parquet", "question", "answer"],
  },
  {
    name: "JSONL",
    ours: (folder) => jsonl(join(folder, "rows.jsonl"), { schema: all }),
    theirs: ["json", "rows.jsonl"],
  },
];

/** Compares reading with `datasets` in streaming mode, on the same files, in alternation. Ours checks each row by a schema. */
export async function data(): Promise<readonly Figure[]> {
  let python: string;
  try {
    python = virtualEnvironment({
      requirements: join(root, "bench/python/datasets.txt"),
      folder: join(root, "node_modules/.cache/bench-datasets"),
      isComplete: true,
    });
  } catch (error) {
    process.stderr.write(`data: skipped, because it needs Python's datasets. ${String(error)}\n`);
    return [];
  }
  const folder = await mkdtemp(join(tmpdir(), "envs-bench-data-"));
  try {
    await run(python, [script, "write", folder, String(count)]);
    const figures: Figure[] = [];
    for (const task of tasks) figures.push(...(await compare(task, folder, python)));
    return [...figures, await firstRowsMemory(folder)];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A nested column and no offset index: a reader that decodes whole columns needs memory for all rows. */
async function firstRowsMemory(folder: string): Promise<Figure> {
  const reader = join(import.meta.dirname, "data/first-rows.ts");
  const { stdout } = await run(process.execPath, [reader, join(folder, "one-group.parquet")]);
  return {
    name: `Parquet, 20 rows of a row group of ${count.toLocaleString("en")}: peak memory`,
    unit: "MB",
    value: Number(stdout),
    aim: { at: "most", value: 200 },
  };
}

async function compare(
  { name, ours, theirs }: Task,
  folder: string,
  python: string,
): Promise<readonly Figure[]> {
  const [kind, file, ...columns] = theirs;
  const readOurs = () =>
    seconds(async () => {
      let rows = 0;
      for await (const { question } of ours(folder)) if (question !== "") rows += 1;
      if (rows !== count) throw new Error(`${name} has ${rows} rows, not ${count}.`);
    });
  // Measures without the time in which Python starts and imports.
  const readTheirs = async () => {
    const { stdout } = await run(python, [script, "read", kind, join(folder, file), ...columns]);
    return (JSON.parse(stdout.trim().split("\n").at(-1)!) as { seconds: number }).seconds;
  };
  await readOurs();
  const times = { ours: [] as number[], theirs: [] as number[] };
  for (let round = 0; round < roundCount; round += 1) {
    times.ours.push(await readOurs());
    times.theirs.push(await readTheirs());
  }
  return [
    { name: `${name}: rows of @envs/data`, unit: "rows/s", ...rate(count, times.ours) },
    { name: `${name}: rows of datasets`, unit: "rows/s", ...rate(count, times.theirs) },
    {
      name: `${name}: @envs/data / datasets`,
      unit: "×",
      ...speedup(times.ours, times.theirs),
      aim: { at: "least", value: 1 },
    },
  ];
}

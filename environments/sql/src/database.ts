import type { RunResult, Sandbox } from "@envs/sandbox";
import { sqlite } from "@envs/sandbox/sqlite";

import { asRead, readRows } from "./answer.ts";
import { sameRows, type Table, tableSchema } from "./same-rows.ts";
import { script, type Task, variants } from "./tasks.ts";

/** The model's queries only read the database, so that their order does not matter. */
export const provider = sqlite({ readOnly: true });

const limits = { ms: 2000, memory: 64 * 1024 ** 2, output: 4000 };

/** The database of a rollout. It starts with the first query. */
export interface Explorer extends AsyncDisposable {
  query(sql: string, signal: AbortSignal): Promise<string>;
}

export function explorer(task: Task): Explorer {
  let opened: Promise<Sandbox> | undefined;
  return {
    async query(sql, signal) {
      opened ??= provider.create({ files: { "data.sql": script(task, 0) }, limits });
      return textOf(await (await opened).run(sql, { signal }));
    },
    async [Symbol.asyncDispose]() {
      // The run reports that the sandbox cannot start.
      const sandbox = await opened?.catch(() => undefined);
      await sandbox?.[Symbol.asyncDispose]();
    },
  };
}

function textOf({ stdout, stderr, truncated, value }: RunResult): string {
  const notes = truncated ? [`(The rows are cut after ${limits.output} bytes.)`] : [];
  if (tableSchema.safeParse(value).data?.rows.length === 0) notes.push("(No rows.)");
  return [stdout.trimEnd(), ...notes, stderr.trimEnd()].filter((text) => text !== "").join("\n");
}

/** On how much of the data an answer is right. */
export interface Verdict {
  /** Whether the query runs on the database that the model saw. */
  readonly runs: boolean;
  /** Whether its rows are right there. */
  readonly visible: boolean;
  /** Whether its rows are right there and on all hidden variants. */
  readonly correct: boolean;
}

interface GradeOptions {
  /** Whether the answer is a query, which must be right on all variants, or rows. */
  readonly isQuery: boolean;
  readonly signal: AbortSignal;
}

/** Compares an answer with the reference, in a fresh database that no model has changed. */
export async function grade(task: Task, answer: string, options: GradeOptions): Promise<Verdict> {
  const { signal } = options;
  const box = await provider.create({ limits: { ...limits, output: 1_000_000 }, signal });
  try {
    return await gradeIn(box, task, answer, options);
  } finally {
    await box[Symbol.asyncDispose]();
  }
}

/** Like {@link grade}, in a given database, whose tables it replaces. */
export async function gradeIn(
  box: Sandbox,
  task: Task,
  answer: string,
  { isQuery, signal }: GradeOptions,
): Promise<Verdict> {
  // Hard-coded rows have no meaning for other data.
  for (let variant = 0; variant <= (isQuery ? variants : 0); variant += 1) {
    await box.write("data.sql", script(task, variant));
    const reference = rowsOf(await box.run(task.query, { signal }));
    if (reference === undefined)
      throw new Error(`The query of the task ${task.kind} does not run: ${task.query}`);
    const [given, expected] = isQuery
      ? [rowsOf(await box.run(answer, { signal })), reference]
      : [readRows(answer, reference.columns), asRead(reference)];
    if (given === undefined || !sameRows(given, expected, task.isOrdered))
      return { runs: given !== undefined, visible: variant > 0, correct: false };
  }
  return { runs: true, visible: true, correct: true };
}

/** The rows of a run that broke no limit. */
function rowsOf({ exitCode, truncated, value }: RunResult): Table | undefined {
  return exitCode === 0 && !truncated ? tableSchema.safeParse(value).data : undefined;
}

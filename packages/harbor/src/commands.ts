import { clean, onInterrupt, paint } from "@envs/cli/kit";
import { ConfigError, type ScoredRollout } from "@envs/core";
import { pool } from "@envs/core/engine";
import { docker } from "@envs/machine";

import {
  auditTask,
  type AuditTaskOptions,
  needsMachine,
  type TaskAudit,
  taskRules,
} from "./audit/audit-task.ts";
import { checkTask, type TaskCheck } from "./check/check-task.ts";
import { regrade, type Regraded } from "./check/regrade.ts";
import { fetchTasks } from "./fetch/fetch-tasks.ts";
import { findTasks } from "./task/find-tasks.ts";

/** Options of `envs check` that apply to tasks. */
export interface CheckTasksOptions {
  /** The number of tasks. Default: all. */
  readonly examples?: number | undefined;
  /** Tasks that are checked at once. Default 2. */
  readonly concurrency?: number | undefined;
  readonly json?: boolean | undefined;
}

/** Checks the tasks of a place and prints each as it finishes. Returns 1 if one is broken or none could run. */
export async function checkTasks(
  place: string,
  { examples = Infinity, concurrency = 2, json = false }: CheckTasksOptions = {},
): Promise<number> {
  const provider = docker();
  const tasks = findTasks(await fetchTasks(place, process.cwd()), place).slice(0, examples);
  await provider.check();
  const interrupt = onInterrupt(() => process.stderr.write("\nStopping.\n"));
  const { signal } = interrupt;
  const checks: TaskCheck[] = [];
  try {
    const work = pool(tasks, concurrency, (task) => checkTask(task, { provider, signal }));
    for await (const check of work) {
      signal.throwIfAborted();
      checks.push(check);
      if (!json) process.stdout.write(`${textOf(check)}\n`);
    }
  } finally {
    interrupt.dispose();
  }
  const played = checks.filter(({ obstacles }) => obstacles.length === 0);
  const failed = played.filter(({ problems }) => problems.length > 0).length;
  const [sound, left] = [played.length - failed, checks.length - played.length];
  if (json)
    process.stdout.write(
      `${JSON.stringify({ environment: `harbor:${place}`, failed, notRun: left, tasks: checks.toSorted(byFolder) })}\n`,
    );
  else process.stdout.write(`\n${sound} sound, ${failed} broken, ${left} cannot run here\n`);
  return failed === 0 && played.length > 0 ? 0 : 1;
}

function byFolder(a: TaskCheck, b: TaskCheck): number {
  return a.folder < b.folder ? -1 : 1;
}

const maxLogLines = 12;

function textOf({ task, obstacles, problems, oracle, nop, seconds }: TaskCheck): string {
  const name = clean(task);
  if (obstacles.length > 0)
    return `${paint("yellow", "–")} ${name}: not run, ${obstacles.join(", ")}`;
  const earned = `oracle ${listed(oracle)}, nop ${listed(nop)}`;
  const facts = paint("dim", `${earned}, ${seconds.toFixed(0)} s`);
  if (problems.length === 0) return `${paint("green", "✓")} ${name} ${facts}`;
  return [
    `${paint("red", "✗")} ${name} ${facts}`,
    ...problems.flatMap(({ problem, log }) => [
      `  ${problem}`,
      ...clean(log)
        .split("\n")
        .slice(-maxLogLines)
        .map((line) => paint("dim", `    ${line}`)),
    ]),
  ].join("\n");
}

function listed(rewards: readonly (number | null)[]): string {
  if (rewards.length === 0) return "not played";
  return [...new Set(rewards)].map((reward) => reward ?? "failed").join(" and ");
}

/**
 * How `envs run rescore` grades a stored rollout of these tasks: by the artifacts that it stored, in a new machine. At most two at once,
 * because each needs a machine.
 */
export async function regrader(
  place: string,
  { artifacts: store = "" }: { readonly artifacts?: string | undefined },
  signal: AbortSignal,
): Promise<{
  readonly concurrency: number;
  readonly regrade: (rollout: ScoredRollout) => Promise<Regraded>;
}> {
  const tasks = findTasks(await fetchTasks(place, process.cwd()), place);
  const byName = new Map(tasks.map((task) => [task.name, task]));
  const provider = docker();
  return {
    concurrency: 2,
    regrade: async (rollout) =>
      await regrade(
        byName.get(String("task" in rollout.example && rollout.example.task)),
        rollout,
        { provider, store, signal },
      ),
  };
}

export { taskRules };

/** Audits the tasks of a place and yields each as it finishes: what `envs audit harbor:<place>` prints. */
export async function* auditTasks(
  place: string,
  { examples = Infinity, ...options }: Omit<AuditTaskOptions, "provider"> & ExamplesOption,
): AsyncGenerator<TaskAudit> {
  const tasks = findTasks(await fetchTasks(place, process.cwd()), place).slice(0, examples);
  const provider = docker();
  const unknown = options.rules?.find((id) => taskRules.every((rule) => rule.id !== id));
  if (unknown !== undefined)
    throw new ConfigError(
      `${JSON.stringify(unknown)} is not a rule for tasks. The rules are: ${taskRules.map(({ id }) => id).join(", ")}.`,
    );
  if (needsMachine(options.rules)) await provider.check();
  yield* pool(tasks, 2, (task) => auditTask(task, { ...options, provider }));
}

interface ExamplesOption {
  /** The number of tasks. Default: all. */
  readonly examples?: number | undefined;
}

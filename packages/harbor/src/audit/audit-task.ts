import { assistantMessage, callTools, evaluate, type Model } from "@envs/core";

import { checkTask, type CheckTaskOptions } from "../check/check-task.ts";
import { harbor } from "../harbor.ts";
import type { HarborTask } from "../task/task.ts";
import { type Severity, staticRules } from "./static-rules.ts";
import { filesThatTestsRead, readTaskFiles } from "./task-files.ts";

/** A fault of a task. */
export interface TaskFinding {
  readonly rule: string;
  readonly severity: Severity;
  readonly message: string;
  /** The end of the log that shows it; empty if the files of the task do. */
  readonly log: string;
}

/** What an audit found in a task. */
export interface TaskAudit {
  readonly task: string;
  readonly folder: string;
  /** Why its plays could not run here; rules about its files are applied all the same. */
  readonly notPlayed: readonly string[];
  readonly findings: readonly TaskFinding[];
  readonly seconds: number;
}

const playedRules = [
  ["play-fails", "high", "Each play ends with a reward"],
  ["oracle-fails", "high", "The oracle earns 1"],
  ["nop-earns", "high", "An agent that does nothing earns less than the oracle"],
  ["flaky-grading", "high", "The same play earns the same again"],
  ["empty-file", "high", "Empty files with the right names earn nothing"],
] as const;

/** Each rule for tasks, with a sentence that is true of a sound one. */
export const taskRules: readonly Pick<(typeof staticRules)[number], "id" | "severity" | "asks">[] =
  [...playedRules.map(([id, severity, asks]) => ({ id, severity, asks })), ...staticRules].map(
    ({ id, severity, asks }) => ({ id, severity, asks }),
  );

export interface AuditTaskOptions extends CheckTaskOptions {
  /** Ids of the rules that are applied. Default: all. */
  readonly rules?: readonly string[] | undefined;
}

/** Applies the rules to a task: some read its files, others play it in machines. */
export async function auditTask(
  task: HarborTask,
  { rules = taskRules.map(({ id }) => id), ...options }: AuditTaskOptions,
): Promise<TaskAudit> {
  const start = performance.now();
  const files = readTaskFiles(task);
  const fromFiles = staticRules.flatMap(({ id: rule, severity, find }) =>
    find(task, files).map((message) => ({ rule, severity, message, log: "" })),
  );
  const check = needsMachine(rules) ? await checkTask(task, options) : undefined;
  const played = (check?.problems ?? []).map(({ rule, problem, log }) =>
    finding(rule, problem, log),
  );
  const paths = filesThatTestsRead(files.tests);
  const isPlayable = check?.obstacles.length === 0 && check.nop.length > 0;
  const empty =
    isPlayable && rules.includes("empty-file") && paths.length > 0 && !earns(check.nop)
      ? await emptyFileFindings(task, paths, options)
      : [];
  return {
    task: task.name,
    folder: task.folder,
    notPlayed: check?.obstacles ?? [],
    // A play that failed leaves the question of every other rule that plays open.
    findings: [...played, ...empty, ...fromFiles].filter(
      ({ rule }) => rule === "play-fails" || rules.includes(rule),
    ),
    seconds: (performance.now() - start) / 1000,
  };
}

/** Whether one of the rules plays tasks. */
export function needsMachine(rules: readonly string[] | undefined): boolean {
  return rules === undefined || playedRules.some(([id]) => rules.includes(id));
}

function earns(rewards: readonly (number | null)[]): boolean {
  return rewards.some((reward) => reward !== null && reward > 0);
}

/** Plays an agent that creates the files which the tests read, and writes nothing into them. */
async function emptyFileFindings(
  task: HarborTask,
  paths: readonly string[],
  { provider, signal }: CheckTaskOptions,
): Promise<readonly TaskFinding[]> {
  const quoted = paths.map((path) => `'${path}'`).join(" ");
  const command = `for file in ${quoted}; do mkdir -p "$(dirname "$file")"; [ -e "$file" ] || : > "$file"; done`;
  const replies = [callTools([["bash", { command }]])];
  const model: Model = async () => ({
    message: replies.shift() ?? assistantMessage("Done."),
    finish: "stop",
  });
  const environment = harbor(task.folder, { provider })();
  const options = { examples: 1, rolloutsPerExample: 1, signal };
  const { rollouts } = await evaluate(environment, { model, ...options });
  const [rollout] = rollouts;
  if (rollout?.status === "failed")
    return [finding("play-fails", "The play with empty files failed", rollout.error.message)];
  if (rollout === undefined || rollout.reward <= 0) return [];
  const message = `Empty files earned ${rollout.reward}: ${paths.join(", ")}`;
  return [finding("empty-file", message, rollout.feedback?.["tests"] ?? "")];
}

function finding(rule: (typeof playedRules)[number][0], message: string, log: string): TaskFinding {
  return { rule, severity: "high", message, log };
}

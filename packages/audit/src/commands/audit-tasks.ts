import { clean, onInterrupt, paint } from "@envs/cli/kit";
import { wrap } from "@envs/cli/kit/layout";

/** A rule for tasks in Harbor's format. */
export interface TaskRule {
  readonly id: string;
  readonly severity: "high" | "medium" | "low";
  readonly asks: string;
}

/** What an audit found in one task. */
export interface TaskAudit {
  readonly task: string;
  readonly folder: string;
  readonly notPlayed: readonly string[];
  readonly findings: readonly {
    readonly rule: string;
    readonly severity: TaskRule["severity"];
    readonly message: string;
    readonly log: string;
  }[];
  readonly seconds: number;
}

/** What a source brings for an audit of its tasks. */
export interface TaskCommands {
  readonly taskRules: readonly TaskRule[];
  readonly auditTasks: (place: string, options: object) => AsyncIterable<TaskAudit>;
}

/** Audits the tasks of a place; `onAudit` is called with each as it finishes. */
export async function auditTasks(
  run: TaskCommands["auditTasks"],
  place: string,
  options: {
    readonly rules: readonly string[] | undefined;
    readonly examples: number | undefined;
    readonly onAudit: (audit: TaskAudit) => void;
  },
): Promise<readonly TaskAudit[]> {
  const interrupt = onInterrupt(() => process.stderr.write("\nStopping.\n"));
  const { signal } = interrupt;
  const audits: TaskAudit[] = [];
  try {
    for await (const audit of run(place, { ...options, signal })) {
      signal.throwIfAborted();
      audits.push(audit);
      options.onAudit(audit);
    }
  } finally {
    interrupt.dispose();
  }
  return audits.toSorted((a, b) => (a.folder < b.folder ? -1 : 1));
}

const logLines = 8;

/** One task as text: its findings, each with the end of its log. */
export function taskText({ task, notPlayed, findings }: TaskAudit, columns: number): string {
  const mark = findings.length === 0 ? paint("green", "✓") : paint("red", "✗");
  const reason = notPlayed.length === 0 ? "" : paint("dim", ` not played: ${notPlayed.join(", ")}`);
  return [
    `${mark} ${clean(task)}${reason}`,
    ...findings.flatMap(({ rule, severity, message, log }) => [
      ...wrap(clean(`${rule} (${severity}): ${message}`), columns - 2).map((line) => `  ${line}`),
      ...(log === "" ? [] : clean(log).split("\n").slice(-logLines)).map((line) =>
        paint("dim", `    ${line}`),
      ),
    ]),
  ].join("\n");
}

import type { Message } from "@envs/core";

import { shortFigure } from "./axes.ts";
import { evaluationTables } from "./evaluation-table.ts";
import { fenced, image, plain, table } from "./markup.ts";
import type { KeptRollout, ReportedPhase, TrainingReport } from "./training-report.ts";

/** Writes the report of a run. The same data give the same text. */
export function trainingMarkdown(report: TrainingReport): string {
  const { run, evaluations, curves, rollouts, warnings, phases } = report;
  const sections: readonly (readonly [title: string, text: string])[] = [
    ["Warnings", warnings.map((warning) => `- ⚠ ${plain(warning)}`).join("\n")],
    [
      "Before and after",
      evaluations.length === 0 ? "" : `${note}\n\n${evaluationTables(evaluations)}`,
    ],
    ["Curves", curveImages(curves)],
    ["Phases", phases.length === 0 ? "" : phaseTable(phases)],
    ["Rollouts to read", rollouts.map(transcript).join("\n\n")],
    ["How it was made", origin(report)],
  ];
  return [
    `# ${plain(run)}`,
    summary(report),
    ...sections.flatMap(([title, text]) => (text === "" ? [] : [`## ${title}`, text])),
  ]
    .join("\n\n")
    .concat("\n");
}

const note =
  "In brackets: the 95 % confidence interval (Wilson). Rows in italics are exact: every line of play that the opponent allows, weighted by its probability.";

function summary({ environment, model, phases, seconds, seed }: TrainingReport): string {
  const steps = phases.reduce((sum, phase) => sum + phase.steps, 0);
  const stopped = phases.some((phase) => phase.steps < phase.planned);
  return [
    `${plain(model)}, trained on **${plain(environment.name)}**`,
    `${steps.toLocaleString("en")} steps in ${phases.length} ${phases.length === 1 ? "phase" : "phases"}`,
    duration(seconds),
    `seed ${seed}.`,
  ]
    .join(" · ")
    .concat(stopped ? " Not all steps were taken." : "");
}

function curveImages(curves: TrainingReport["curves"]): string {
  const [overview, ...singles] = curves.map(({ title, path }) => image(title, path));
  if (overview === undefined) return "";
  if (singles.length === 0) return overview;
  return `${overview}\n\n<details>\n<summary>Each curve by itself</summary>\n\n${singles.join("\n\n")}\n\n</details>`;
}

/** Settings side by side, so that what differs between phases is seen. */
function phaseTable(phases: readonly ReportedPhase[]): string {
  const names = [...new Set(phases.flatMap(({ settings }) => Object.keys(settings)))];
  return table([
    ["", ...phases.map(({ name }) => `**${plain(name)}**`)],
    ["kind", ...phases.map(({ kind }) => kind)],
    [
      "steps",
      ...phases.map(({ steps, planned }) =>
        steps === planned ? `${steps}` : `${steps} of ${planned}`,
      ),
    ],
    ["time", ...phases.map(({ seconds }) => duration(seconds))],
    ...names.map((name) => row(name, phases)),
  ]);
}

function row(name: string, phases: readonly ReportedPhase[]): string[] {
  return [plain(name), ...phases.map(({ settings }) => setting(settings[name]))];
}

function setting(value: unknown): string {
  if (value === undefined) return "";
  if (typeof value === "number") return String(value);
  return plain(typeof value === "string" ? value : JSON.stringify(value));
}

function transcript({ phase, step, reward, scores, messages }: KeptRollout): string {
  const figures = Object.entries(scores).map(
    ([name, value]) => `${plain(name)} ${value === null ? "–" : shortFigure(value)}`,
  );
  return [
    `### ${plain(phase)}, step ${step}`,
    [`reward ${shortFigure(reward)}`, ...figures].join(" · "),
    fenced(messages.map(said).join("\n\n")),
  ].join("\n\n");
}

function said(message: Message): string {
  const thought = message.role === "assistant" ? message.reasoning_content : undefined;
  const calls = message.role === "assistant" ? (message.tool_calls ?? []) : [];
  const lines = [
    ...(thought === undefined ? [] : [`(thinks) ${thought}`]),
    ...(message.content === "" && calls.length > 0 ? [] : [message.content]),
    ...calls.map(({ function: called }) => `→ ${called.name} ${called.arguments}`),
  ];
  return `${message.role}:\n${lines.join("\n").replaceAll(/^(?=.)/gm, "  ")}`;
}

function origin({ command, environment, versions }: TrainingReport): string {
  const parts = [fenced(command, "sh")];
  if (Object.keys(environment.config).length > 0)
    parts.push(
      `Config of ${plain(environment.name)}:`,
      fenced(JSON.stringify(environment.config, undefined, 2), "json"),
    );
  const made = Object.entries(versions).map(([name, version]) => [plain(name), plain(version)]);
  if (made.length > 0) parts.push(table([["", "version"], ...made]));
  return parts.join("\n\n");
}

function duration(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

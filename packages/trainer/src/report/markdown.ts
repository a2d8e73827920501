import type { Message } from "@envs/core";
import { describeContent } from "@envs/core/engine";

import { evaluationTables } from "./evaluation-table.ts";
import { formatNumber } from "./format-number.ts";
import { codeBlock, escapeMarkdown, image, table } from "./markdown-elements.ts";
import type {
  ReportedPhase,
  SampleRollout,
  TokenCounts,
  TrainingReport,
} from "./training-report.ts";

/** Formats the report of a run. Equal data give equal text. */
export function trainingMarkdown(report: TrainingReport): string {
  const { run, evaluations, curves, rollouts, warnings, phases } = report;
  const sections: readonly (readonly [title: string, text: string])[] = [
    ["Warnings", warnings.map((warning) => `- ⚠ ${escapeMarkdown(warning)}`).join("\n")],
    [
      "Before and after",
      evaluations.length === 0 ? "" : `${evaluationNote}\n\n${evaluationTables(evaluations)}`,
    ],
    ["Curves", curveImages(curves)],
    ["Phases", phases.length === 0 ? "" : phaseTable(phases)],
    ["Sample rollouts", rollouts.map(transcript).join("\n\n")],
    ["How to reproduce", reproduction(report)],
  ];
  return [
    `# ${escapeMarkdown(run)}`,
    summary(report),
    ...sections.flatMap(([title, text]) => (text === "" ? [] : [`## ${title}`, text])),
  ]
    .join("\n\n")
    .concat("\n");
}

const evaluationNote =
  "Brackets contain the 95 % confidence interval (Wilson). Rows in italics are exact: they include every line of play that the opponent allows, weighted by its probability.";

function summary(report: TrainingReport): string {
  const { environment, model, phases, seconds, seed, tokens, cost } = report;
  const steps = phases.reduce((sum, phase) => sum + phase.steps, 0);
  const isIncomplete = phases.some((phase) => phase.steps < phase.planned);
  return [
    `${escapeMarkdown(model)}, trained on **${escapeMarkdown(environment)}**`,
    `${steps.toLocaleString("en")} steps in ${phases.length} ${phases.length === 1 ? "phase" : "phases"}`,
    duration(seconds),
    ...(tokens === undefined ? [] : [`${tokenFigures(tokens)} tokens in all`]),
    ...(cost === undefined ? [] : [`cost ${cost.toFixed(2)}`]),
    `seed ${seed}.`,
  ]
    .join(" · ")
    .concat(isIncomplete ? " Stopped before the last step." : "");
}

function curveImages(curves: TrainingReport["curves"]): string {
  const [overview, ...details] = curves.map(({ title, path }) => image(title, path));
  if (overview === undefined) return "";
  if (details.length === 0) return overview;
  return `${overview}\n\n<details>\n<summary>Individual curves</summary>\n\n${details.join("\n\n")}\n\n</details>`;
}

/** One column per phase, one row per setting. */
function phaseTable(phases: readonly ReportedPhase[]): string {
  const names = [...new Set(phases.flatMap(({ settings }) => Object.keys(settings)))];
  return table([
    ["", ...phases.map(({ name }) => `**${escapeMarkdown(name)}**`)],
    ["kind", ...phases.map(({ kind }) => kind)],
    [
      "steps",
      ...phases.map(({ steps, planned }) =>
        steps === planned ? `${steps}` : `${steps} of ${planned}`,
      ),
    ],
    ["time", ...phases.map(({ seconds }) => duration(seconds))],
    ...(phases.every(({ tokens }) => tokens === undefined)
      ? []
      : [["tokens", ...phases.map(({ tokens }) => (tokens ? tokenFigures(tokens) : ""))]]),
    ...names.map((name) => settingRow(name, phases)),
  ]);
}

function tokenFigures({ prompt, sampled, trained }: TokenCounts): string {
  return [`${prompt.toLocaleString("en")} read`, `${sampled.toLocaleString("en")} sampled`]
    .concat(`${trained.toLocaleString("en")} trained`)
    .join(", ");
}

function settingRow(name: string, phases: readonly ReportedPhase[]): string[] {
  return [escapeMarkdown(name), ...phases.map(({ settings }) => formatSetting(settings[name]))];
}

function formatSetting(value: unknown): string {
  if (value === undefined) return "";
  if (typeof value === "number") return String(value);
  return escapeMarkdown(typeof value === "string" ? value : JSON.stringify(value));
}

function transcript({ phase, step, reward, scores, messages }: SampleRollout): string {
  const figures = Object.entries(scores).map(
    ([name, value]) => `${escapeMarkdown(name)} ${value === null ? "–" : formatNumber(value)}`,
  );
  return [
    `### ${escapeMarkdown(phase)}, step ${step}`,
    [`reward ${formatNumber(reward)}`, ...figures].join(" · "),
    codeBlock(messages.map(formatMessage).join("\n\n")),
  ].join("\n\n");
}

function formatMessage(message: Message): string {
  const reasoning = message.role === "assistant" ? message.reasoning_content : undefined;
  const calls = message.role === "assistant" ? (message.tool_calls ?? []) : [];
  const lines = [
    ...(reasoning === undefined ? [] : [`(reasoning) ${reasoning}`]),
    ...(message.content === "" && calls.length > 0 ? [] : [describeContent(message.content)]),
    ...calls.map(({ function: tool }) => `→ ${tool.name} ${tool.arguments}`),
  ];
  return `${message.role}:\n${lines.join("\n").replaceAll(/^(?=.)/gm, "  ")}`;
}

function reproduction({ command, versions }: TrainingReport): string {
  const parts = [codeBlock(command, "sh")];
  const versionRows = Object.entries(versions).map(([name, version]) => [
    escapeMarkdown(name),
    escapeMarkdown(version),
  ]);
  if (versionRows.length > 0) parts.push(table([["", "version"], ...versionRows]));
  return parts.join("\n\n");
}

function duration(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

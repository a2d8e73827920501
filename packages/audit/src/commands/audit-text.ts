import { clean, formatTable, paint } from "@envs/cli/kit";
import { labelledLines, wrap } from "@envs/cli/kit/layout";

import { type Conversation, factsOf } from "../conversation.ts";
import type { AuditReport, Finding } from "../report.ts";
import type { Rule } from "../rule.ts";

const severityColors = { high: "red", medium: "yellow", low: "yellow" } as const;

/** Formats an audit: a table of the rules, then its findings. */
export function auditText(report: AuditReport, columns: number, reference: string): string {
  const { findings, rules, unusedAcceptances } = report;
  const open = findings.filter(({ accepted }) => accepted === undefined);
  return [
    formatTable(
      rules.map((result) => ruleRow(result, findings)),
      "text",
    ),
    "",
    ...findings.flatMap((finding) => [...findingLines(finding, columns), ""]),
    ...unusedAcceptances.map((id) =>
      paint("yellow", `The acceptance of ${id} is not needed: no finding has that name.`),
    ),
    summary(report.environment, findings.length, open.length),
    ...(findings.length === 0
      ? []
      : [
          paint(
            "dim",
            `To read a conversation: envs audit ${reference} --finding ${(open[0] ?? findings[0])!.id}`,
          ),
        ]),
  ].join("\n");
}

function ruleRow(
  { rule, state, tried, seconds }: AuditReport["rules"][number],
  findings: readonly Finding[],
): readonly string[] {
  const time = seconds >= 1 ? paint("dim", `${seconds.toFixed(0)} s`) : "";
  if (state === "not-tried")
    return [paint("dim", "–"), rule, paint("dim", `not tried: ${clean(tried)}`.slice(0, 90)), time];
  const own = findings.filter((finding) => finding.rule === rule);
  if (own.length === 0) return [paint("green", "✓"), rule, paint("dim", clean(tried)), time];
  const isOpen = own.some(({ accepted }) => accepted === undefined);
  const numbers = own.map(({ number }) => `#${number}`).join(" ");
  return isOpen
    ? [paint("red", "✗"), rule, paint("red", numbers), time]
    : [paint("green", "✓"), rule, `${numbers} accepted`, time];
}

function findingLines(
  { number, id, severity, message, accepted }: Finding,
  columns: number,
): readonly string[] {
  const color = accepted === undefined ? severityColors[severity] : "dim";
  return [
    `${paint(["bold", color], `#${number} ${clean(id)}`)} ${paint("dim", severity)}`,
    ...wrap(clean(`${message}.`), columns - 3).map((line) => `   ${line}`),
    ...(accepted === undefined
      ? []
      : wrap(clean(`Accepted: ${accepted}`), columns - 3).map(
          (line) => `   ${paint("green", line)}`,
        )),
  ];
}

function summary(environment: string, count: number, open: number): string {
  if (count === 0) return paint("green", `No findings in ${environment}.`);
  const findings = `${count} ${count === 1 ? "finding" : "findings"} in ${environment}`;
  if (open === 0)
    return paint(
      "green",
      `${findings}, ${count === 1 ? "which the author accepts" : "all of which the author accepts"}.`,
    );
  return paint("red", `${findings}, ${open} not explained.`);
}

/** Formats a finding with its rule and its conversations. */
export function findingText(finding: Finding, rule: Rule, columns: number): string {
  return [
    ...findingLines(finding, columns),
    "",
    ...labelledLines("Asks:     ", rule.asks, columns),
    ...labelledLines("Decides:  ", rule.decides, columns),
    ...labelledLines("To do:    ", rule.remedy, columns),
    ...finding.conversations.flatMap((conversation) => [
      "",
      ...conversationLines(conversation, columns),
    ]),
  ].join("\n");
}

function conversationLines(conversation: Conversation, columns: number): readonly string[] {
  const { title, lines } = conversation;
  return [
    paint("bold", clean(title)),
    ...wrap(clean(factsOf(conversation).join(", ")), columns).map((line) => paint("dim", line)),
    ...lines.flatMap(({ role, text }) =>
      [paint("cyan", role)].concat(
        wrap(clean(text === "" ? "(empty)" : text), columns - 2).map((line) => `  ${line}`),
      ),
    ),
  ];
}

/** Formats the list of rules with the question of each. */
export function ruleList(rules: readonly Pick<Rule, "id" | "asks">[], columns: number): string {
  const width = Math.max(...rules.map(({ id }) => id.length)) + 2;
  const lines = rules.flatMap(({ id, asks }) =>
    wrap(asks, columns - width).map(
      (line, index) => `${(index === 0 ? id : "").padEnd(width)}${line}`,
    ),
  );
  return [
    ...lines,
    "",
    paint("dim", "How each decides: envs audit --list --json, or docs/audit-rules.md"),
  ].join("\n");
}

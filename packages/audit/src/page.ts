import { type Conversation, factsOf } from "./conversation.ts";
import type { AuditReport, Finding } from "./report.ts";
import { counted } from "./rule.ts";
import { rules } from "./rules/index.ts";

const style = `
:root { color-scheme: light dark; --ink: #1a1d21; --quiet: #575e67; --ground: #faf9f6; --card: #fff; --line: #e0ddd6; --good: #1c6b3d; --warn: #7d5200; --danger: #a4262c; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e6e1; --quiet: #a6adb5; --ground: #16181b; --card: #1e2125; --line: #363a40; --good: #7ccf9a; --warn: #e5b968; --danger: #f2a1a1; } }
body { margin: 0 auto; max-width: 64rem; padding: 1.5rem; background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2rem; }
p.facts, .quiet { color: var(--quiet); }
table { width: 100%; border-collapse: collapse; } th, td { padding: .35rem .6rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th { font-weight: 600; } td:first-child { white-space: nowrap; }
article { margin: 1rem 0; padding: .5rem 1rem 1rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--card); }
h3 { margin: .5rem 0; font-size: 1.05rem; } .passed { color: var(--good); } .medium, .low { color: var(--warn); } .high { color: var(--danger); }
details { margin-top: .5rem; } summary { cursor: pointer; }
pre { margin: .25rem 0 .75rem; padding: .5rem .75rem; border-left: 3px solid var(--line); white-space: pre-wrap; overflow-wrap: anywhere; font: .85rem/1.45 ui-monospace, monospace; }
b.role { font-size: .8rem; color: var(--quiet); }`;

/** The report as one HTML file that loads nothing: a table of the rules, then each finding with its conversations. */
export function auditPage(report: AuditReport): string {
  const { environment, config, examples, seed, split, findings, unusedAcceptances } = report;
  const facts = [
    counted(examples, "example"),
    ...(split === null ? [] : [`split ${split}`]),
    `seed ${seed}`,
    ...Object.entries(config).map(([name, value]) => `${name} ${JSON.stringify(value)}`),
  ];
  return `${pageHead(`Audit of ${environment}`)}
<h1>Audit of ${escape(environment)}</h1>
<p>${summary(findings)} <span class="quiet">${escape(facts.join(", "))}.</span></p>
${findings.map(article).join("\n")}
${unusedAcceptances.map((id) => `<p class="quiet">The acceptance of ${escape(id)} is not needed: no finding has that name.</p>`).join("\n")}
<h2>Rules</h2>
<table>
<thead><tr><th scope="col">Rule</th><th scope="col">Result</th><th scope="col">What it asks</th></tr></thead>
<tbody>
${report.rules.map((result) => row(result, report)).join("\n")}
</tbody>
</table>
</html>
`;
}

/** The beginning of a page that loads nothing. */
export function pageHead(title: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escape(title)}</title>
<style>${style}
</style>`;
}

function summary(findings: readonly Finding[]): string {
  const open = findings.filter(({ accepted }) => accepted === undefined).length;
  if (findings.length === 0) return "No findings.";
  if (open === 0) return `${counted(findings.length, "finding")}, accepted by the author.`;
  return `${counted(findings.length, "finding")}, ${open} not explained.`;
}

function row(
  { rule, state, tried }: AuditReport["rules"][number],
  { findings }: AuditReport,
): string {
  const links = findings
    .filter((finding) => finding.rule === rule)
    .map(
      ({ number, severity, accepted }) =>
        `<a href="#finding-${number}">#${number}</a> ${accepted === undefined ? `<span class="${severity}">${severity}</span>` : '<span class="passed">accepted</span>'}`,
    );
  const result =
    state === "passed"
      ? `<span class="passed">passed</span> <span class="quiet">${escape(tried)}</span>`
      : state === "not-tried"
        ? `<span class="quiet">not tried: ${escape(tried)}</span>`
        : links.join("<br>");
  const asks = rules.find(({ id }) => id === rule)?.asks ?? "";
  return `<tr><td>${escape(rule)}</td><td>${result}</td><td>${escape(asks)}</td></tr>`;
}

function article({
  number,
  id,
  rule,
  severity,
  message,
  accepted,
  conversations,
}: Finding): string {
  const {
    asks = "",
    decides = "",
    remedy = "",
  } = rules.find((candidate) => candidate.id === rule) ?? {};
  return `<article id="finding-${number}">
<h3>#${number} ${escape(id)} <span class="${severity}">${severity}</span></h3>
<p>${escape(message)}.</p>
${accepted === undefined ? "" : `<p class="passed">Accepted: ${escape(accepted)}</p>`}
<p class="quiet">${code(`${asks} ${decides}`)}</p>
<p>${code(remedy)}</p>
${conversations.map(conversationDetails).join("\n")}
</article>`;
}

function conversationDetails(conversation: Conversation): string {
  const { title, lines } = conversation;
  const messages = lines.map(
    ({ role, text }) =>
      `<b class="role">${role}</b><pre>${text === "" ? '<span class="quiet">(empty)</span>' : escape(text)}</pre>`,
  );
  return `<details><summary>${escape([title, ...factsOf(conversation)].join(" · "))}</summary>
${messages.join("\n")}</details>`;
}

function code(text: string): string {
  return escape(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>");
}

export function escape(text: string): string {
  const signs: Readonly<Record<string, string>> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
  };
  return text.replaceAll(/[&<>"]/g, (sign) => signs[sign]!).replaceAll("\0", "�");
}

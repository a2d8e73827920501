import { escape, pageHead } from "../page.ts";
import { counted } from "../rule.ts";
import type { TaskAudit, TaskRule } from "./audit-tasks.ts";

/** The audit of a set of tasks as one HTML file that loads nothing: which are broken, why, and the log of each. */
export function taskPage(
  place: string,
  audits: readonly TaskAudit[],
  rules: readonly TaskRule[],
): string {
  const broken = audits.filter(({ findings }) => findings.length > 0);
  const title = `Audit of ${place}`;
  return `${pageHead(title)}
<h1>${escape(title)}</h1>
<p>${counted(audits.length, "task")}, ${broken.length} with findings, ${audits.filter(({ notPlayed }) => notPlayed.length > 0).length} not played here.</p>
<h2>Rules</h2>
<table>
<thead><tr><th scope="col">Rule</th><th scope="col">Tasks</th><th scope="col">What a sound task does</th></tr></thead>
<tbody>
${rules.map((rule) => ruleRow(rule, audits)).join("\n")}
</tbody>
</table>
<h2>Tasks</h2>
<table>
<thead><tr><th scope="col">Task</th><th scope="col">Findings</th></tr></thead>
<tbody>
${audits.map(taskRow).join("\n")}
</tbody>
</table>
</html>
`;
}

function ruleRow({ id, severity, asks }: TaskRule, audits: readonly TaskAudit[]): string {
  const count = audits.filter(({ findings }) => findings.some(({ rule }) => rule === id)).length;
  return `<tr><td>${escape(id)}</td><td class="${count === 0 ? "passed" : severity}">${count}</td><td>${escape(asks)}</td></tr>`;
}

function taskRow({ task, notPlayed, findings }: TaskAudit): string {
  const reasons = notPlayed.map(
    (reason) => `<span class="quiet">not played: ${escape(reason)}</span>`,
  );
  const items = findings.map(({ rule, severity, message, log }) => {
    const text = `<span class="${severity}">${escape(rule)}</span> ${escape(message)}`;
    return log === ""
      ? text
      : `<details><summary>${text}</summary><pre>${escape(log)}</pre></details>`;
  });
  const cells = [...reasons, ...items];
  return `<tr><td>${escape(task)}</td><td>${cells.length === 0 ? '<span class="passed">sound</span>' : cells.join("<br>")}</td></tr>`;
}

import { resolve } from "node:path";

import { readMetadata, readRollouts } from "@envs/records/node";

import { type ScanFinding, scanRollout, scanRules } from "../../runs/scan-rollouts.ts";
import { defineCommand } from "../../terminal/command.ts";
import { UsageError } from "../../terminal/errors.ts";
import { argument, flag } from "../../terminal/options.ts";
import { printResult } from "../../terminal/output.ts";
import { clean, paint } from "../../terminal/text.ts";

export const command = defineCommand({
  meta: {
    name: "run scan",
    description:
      "Search the calls of a run's agents for cheats: reading tests or git history, editing graders, hard-coded values, searching for the answer. A finding is a reason to read the rollout, not a proof. Exits with 1 if one is found",
  },
  args: {
    run: argument("The folder of a run"),
    json: flag("Print one JSON object"),
  },
  async run({ args }): Promise<number> {
    if (args.run === undefined)
      throw new UsageError("Missing run. Example: envs run scan outputs/evals/<run>");
    const path = resolve(args.run);
    const metadata = await readMetadata(path);
    const findings: ScanFinding[] = [];
    const counts = { rollouts: 0, unreadable: 0 };
    for await (const rollout of readRollouts(path, metadata, { withMedia: false })) {
      if ("problem" in rollout) {
        counts.unreadable += 1;
        continue;
      }
      counts.rollouts += 1;
      findings.push(...scanRollout(rollout));
    }
    printResult(args.json, { run: path, ...counts, findings }, scanText(findings, counts));
    return findings.length === 0 ? 0 : 1;
  },
});

function scanText(
  findings: readonly ScanFinding[],
  { rollouts, unreadable }: { readonly rollouts: number; readonly unreadable: number },
): string {
  const suspects = new Set(findings.map((one) => `${one.example_key} ${one.rollout_index}`)).size;
  const parts = scanRules.flatMap(({ id, finds }) => {
    const lines = findings.filter(({ rule }) => rule === id).map(lineOf);
    return lines.length === 0 ? [] : [paint("bold", `${id}: ${finds}`), lines.join("\n"), ""];
  });
  return [
    ...parts,
    `${rollouts} rollouts, ${suspects} with findings${unreadable === 0 ? "" : `, ${unreadable} cannot be read`}`,
  ].join("\n");
}

function lineOf(finding: ScanFinding): string {
  const { example_id: example, rollout_index: rollout, reward, message, line, text } = finding;
  const place = `example ${example}, rollout ${rollout}, message ${message}, line ${line}`;
  return `  ${place}, reward ${reward ?? "none"}\n    ${paint("dim", clean(text))}`;
}

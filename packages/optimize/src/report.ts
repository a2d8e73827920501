import type { Candidate } from "./candidate.ts";
import type { OptimizeResult } from "./options.ts";

/** A report in Markdown: rewards on both splits, the curve, the lineage, and the best prompts. */
export function reportMarkdown(result: OptimizeResult): string {
  const { environment, best, candidates, heldOut, rollouts, reflections, rejected, cost } = result;
  const { interval } = heldOut;
  const range =
    interval === undefined
      ? ""
      : `, 95 % interval ${signed(interval.low)} to ${signed(interval.high)}`;
  const spent = cost === undefined ? "" : `, cost ${cost.toFixed(4)}`;
  return `# Prompts of ${environment}

| Mean reward | Examples | Before | After | Difference |
| --- | ---: | ---: | ---: | ---: |
${row("Selection", candidates[0]!.rewards.size, candidates[0]!.mean, best.mean)}
${row("Held out", heldOut.examples, heldOut.before, heldOut.after)}

The held-out examples decided nothing${range}. The search used ${rollouts} rollouts and ${reflections} reflections${spent}; ${rejected}
proposals did not improve their minibatch.

## Curve

\`\`\`mermaid
xychart-beta
  title "Best mean reward on the selection examples"
  x-axis "Rollouts" [${candidates.map(({ rollouts: at }) => at).join(", ")}]
  y-axis "Reward"
  line [${bestSoFar(candidates).map(round).join(", ")}]
\`\`\`

## Lineage

\`\`\`mermaid
graph TD
${candidates.map((candidate) => node(candidate, best)).join("\n")}
\`\`\`

| Candidate | Parents | Changed | Reward | Rollouts |
| ---: | --- | --- | ---: | ---: |
${candidates.map(({ id, parents, changed, mean, rollouts: at }) => `| ${id} | ${parents.join(", ")} | ${changed.join(", ")} | ${round(mean)} | ${at} |`).join("\n")}

## Prompts of candidate ${best.id}

${Object.entries(best.prompts)
  .map(([name, text]) => `### ${name}\n\n${fenced(text)}`)
  .join("\n\n")}
`;
}

function row(name: string, examples: number, before: number, after: number): string {
  return `| ${name} | ${examples} | ${round(before)} | ${round(after)} | ${signed(after - before)} |`;
}

function bestSoFar(candidates: readonly Candidate[]): readonly number[] {
  let best = -Infinity;
  return candidates.map(({ mean }) => (best = Math.max(best, mean)));
}

function node({ id, parents, mean }: Candidate, best: Candidate): string {
  const label = `  c${id}["${id}: ${round(mean)}${id === best.id ? " (best)" : ""}"]`;
  return [label, ...parents.map((parent) => `  c${parent} --> c${id}`)].join("\n");
}

function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/gu)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}`;
}

export function signed(value: number): string {
  return `${value >= 0 ? "+" : ""}${round(value)}`;
}

export function round(value: number): string {
  return value.toFixed(3);
}

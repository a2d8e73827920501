import { join } from "node:path";

import { formatTable, paint } from "@envs/cli/kit";
import { priceText, nearPath, pathArgument } from "@envs/cli/kit/layout";

import type { OptimizeEvent } from "../options.ts";
import { round, signed } from "../report.ts";
import type { OptimizePlan } from "./optimize-plan.ts";
import type { SearchResult } from "./run-search.ts";

/** One line about a candidate or a rejected proposal. */
export function optimizeEventText(event: OptimizeEvent): string {
  if (event.type === "rejected") {
    const { parents, changed, before, after } = event;
    const text = `rejected: ${changed.join(", ")} of ${parents.join(" and ")}, ${round(before)} → ${round(after)} on a minibatch`;
    return paint("dim", text);
  }
  const { candidate, best } = event;
  const origin =
    candidate.parents.length === 0
      ? "the environment's own prompts"
      : `${candidate.changed.join(", ")} of ${candidate.parents.join(" and ")}`;
  return `candidate ${candidate.id}: reward ${round(candidate.mean)}, best ${round(best.mean)}, after ${candidate.rollouts} rollouts (${origin})`;
}

/** Formats the rewards on both splits, the spending, and how to use the prompts. */
export function optimizeResultText(
  { best, candidates, heldOut, rollouts, reflections, rejected, cost, prices }: SearchResult,
  { path, plan }: { readonly path: string; readonly plan: OptimizePlan },
): string {
  const [first] = candidates;
  const { interval } = heldOut;
  const range = interval === undefined ? "" : `${signed(interval.low)} to ${signed(interval.high)}`;
  const table = formatTable([
    ["reward", "before", "after", "difference", "95 %", "examples"],
    row("selection", [first!.mean, best.mean], "", first!.rewards.size),
    row("held out", [heldOut.before, heldOut.after], range, heldOut.examples),
  ]);
  const spent = cost === undefined ? "" : `, cost ${cost.toFixed(4)}`;
  const label = (name: string): string => paint("dim", name.padEnd(9));
  const changed =
    best.id === 0
      ? "No proposal was better than the environment's own prompts."
      : `Candidate ${best.id} of ${candidates.length} is the best; ${rejected} proposals were rejected.`;
  return [
    "",
    table,
    "",
    changed,
    `${label("used")} ${rollouts} rollouts, ${reflections} reflections${spent}`,
    ...(cost === undefined ? [] : priceLines(plan, prices)),
    `${label("report")} ${nearPath(join(path, "report.md"))}`,
    `${label("use")} envs eval ${plan.environment} -m ${plan.model} --prompts ${pathArgument(join(path, "prompts.json"))}`,
  ].join("\n");
}

function priceLines(plan: OptimizePlan, prices: SearchResult["prices"]): readonly string[] {
  return (["model", "reflection"] as const).flatMap((role) => {
    const price = prices[role];
    return price === undefined
      ? []
      : [`${paint("dim", "prices".padEnd(9))} ${plan[role]}: ${priceText(price)}`];
  });
}

function row(
  name: string,
  [before, after]: readonly [number, number],
  range: string,
  examples: number,
): readonly string[] {
  return [name, round(before), round(after), signed(after - before), range, String(examples)];
}

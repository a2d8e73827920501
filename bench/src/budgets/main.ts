import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { type Costs, excesses, least } from "./compare.ts";
import { measurements } from "./costs.ts";

// Run by `pnpm budgets`. With --update it writes the budgets anew.
const file = join(import.meta.dirname, "../../budgets.json");
const attempts = 3;
const budgets = JSON.parse(readFileSync(file, "utf8")) as Record<string, Costs>;
const isUpdate = process.argv.includes("--update");
const requested = process.argv.slice(2).filter((argument) => !argument.startsWith("-"));
for (const name of requested.length > 0 ? requested : Object.keys(measurements)) {
  const measure = measurements[name];
  if (measure === undefined) {
    const names = Object.keys(measurements).join(", ");
    throw new Error(`No costs are called ${JSON.stringify(name)}. Available: ${names}.`);
  }
  let costs: Costs = {};
  let problems: readonly string[] = [];
  // Another program may disturb a measurement for seconds.
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    costs = least(costs, rounded(await measure()));
    problems = excesses(costs, budgets[name] ?? {});
    if (!isUpdate && (problems.length === 0 || budgets[name] === undefined)) break;
  }
  for (const [title, cost] of Object.entries(costs)) {
    const budget = budgets[name]?.[title];
    process.stdout.write(`${String(cost).padStart(8)}  (${budget ?? "no budget"})  ${title}\n`);
  }
  if (isUpdate) budgets[name] = costs;
  else if (problems.length > 0) {
    process.exitCode = 1;
    process.stdout.write(`FAILED: ${problems.join("; ")}\n`);
  }
}
if (isUpdate) writeFileSync(file, `${JSON.stringify(budgets, undefined, 2)}\n`);
else if (process.exitCode === 1)
  process.stdout.write("If the change is worth its cost, run pnpm budgets --update and commit.\n");

function rounded(costs: Costs): Costs {
  return Object.fromEntries(
    Object.entries(costs).map(([name, cost]) => [name, Number(cost.toPrecision(4))]),
  );
}

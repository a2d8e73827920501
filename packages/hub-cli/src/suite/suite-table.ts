import { clean, formatTable, paint } from "@envs/cli/kit";

import type { SuiteResult } from "./run-suite.ts";

/** Formats the rewards of a suite's evaluations as one table, with their mean. */
export function suiteTable(title: string, results: readonly SuiteResult[]): string {
  const rewards = results.flatMap(({ reward }) => reward ?? []);
  const mean = rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length;
  return [
    paint("bold", clean(title)),
    formatTable([
      ["environment", "version", "reward"].map((head) => paint("dim", head)),
      ...results.map(({ environment, version, reward, isComplete }) => [
        clean(environment),
        clean(version),
        `${reward?.toFixed(3) ?? "no score"}${isComplete ? "" : " (incomplete)"}`,
      ]),
      ["mean", "", rewards.length === results.length ? mean.toFixed(3) : ""],
    ]),
  ].join("\n");
}

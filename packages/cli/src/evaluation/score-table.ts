import type { Statistics, Summary } from "@envs/core";

import { formatTable } from "../terminal/output.ts";
import { clean, paint } from "../terminal/text.ts";
import { figure, callFigures, percent } from "../text/figures.ts";
import { toolTable } from "./tool-table.ts";

/**
 * Formats a run's summary: rewards and scores, also of each part of a mix and of each seat, a histogram of the rewards, outcomes and pass@k. `weights` has the scores
 * that the run's config enables, or is empty if they are unknown; a disabled score without values gets no row.
 */
export function scoreTable(
  summary: Summary,
  weights: Readonly<Record<string, number>> = {},
): string {
  const { reward, scores, counts, parts = {}, seats = {} } = summary;
  // With one seat, its results are those of the run.
  const groups = { ...parts, ...(Object.keys(seats).length > 1 && seats) };
  const isUnknown = Object.keys(weights).length === 0;
  // The other scores of a mix are in the rows of their part.
  const isShared = (name: string): boolean =>
    summary.parts === undefined ||
    Object.values(parts).filter((part) => Object.hasOwn(part.scores, name)).length > 1;
  const row = (name: string, weight: string, statistics: Statistics): string[] => [
    name,
    weight,
    figure(statistics.mean),
    figure(statistics.std),
    figure(statistics.min),
    figure(statistics.max),
    percent(statistics.positive, statistics.count),
    String(statistics.count),
  ];
  const table = formatTable([
    ["", "weight", "mean", "std", "min", "max", "> 0", "n"],
    row("reward", "", reward),
    ...Object.entries<Statistics>(scores)
      .filter(([name, { count }]) => count > 0 || isUnknown || Object.hasOwn(weights, name))
      .filter(([name]) => isShared(name))
      .map(([name, statistics]) => row(name, figure(weights[name]), statistics)),
    ...Object.entries(groups).flatMap(([group, { reward: total, scores: own }]) =>
      [row(clean(group), "", total)].concat(
        Object.entries(own).map(([name, statistics]) => row(`  ${name}`, "", statistics)),
      ),
    ),
  ]);
  const [heading, total, ...rest] = table.split("\n");
  return [
    paint("dim", heading ?? ""),
    paint("bold", total ?? ""),
    ...rest,
    "",
    ...histogram(summary),
    ...toolTable(summary),
    ...outcomes(summary),
  ]
    .filter((line, index, lines) => line !== "" || lines[index - 1] !== "")
    .join("\n")
    .concat(counts.total === 0 ? "\nNo rollouts." : "");
}

function histogram({ histogram: bins }: Summary): string[] {
  if (bins.length < 2) return [];
  const maxCount = Math.max(...bins.map(({ count }) => count));
  const labels = bins.map(({ from, to }) =>
    from === to ? figure(from) : `${figure(from)} – ${figure(to)}`,
  );
  const longest = Math.max(...labels.map((label) => label.length));
  return [
    paint("dim", "rewards"),
    ...bins.map(({ count }, index) => {
      const bar = "█".repeat(Math.round((count / maxCount) * 30)) || (count > 0 ? "▏" : "");
      return `${labels[index]!.padStart(longest)}  ${paint("cyan", bar)} ${count > 0 ? count : ""}`.trimEnd();
    }),
    "",
  ];
}

function tokens({ inputTokens, outputTokens, unknownRollouts }: Summary["usage"]): string {
  const count = `${unknownRollouts} ${unknownRollouts === 1 ? "rollout" : "rollouts"}`;
  const unknown = unknownRollouts === 0 ? "" : `unknown for ${count}`;
  if (inputTokens + outputTokens === 0) return unknown;
  const known = `${inputTokens.toLocaleString("en")} in, ${outputTokens.toLocaleString("en")} out`;
  return unknown === "" ? known : `at least ${known}; ${unknown}`;
}

function callsOf(usages: Summary["judgeUsage"] | Summary["subModelUsage"] = {}): string {
  return Object.entries(usages)
    .map(([name, usage]) => `${clean(name)} ${callFigures(usage)}`)
    .join("; ");
}

function toolProblems({ count, message = "" }: Summary["toolErrors"]): string {
  if (count === 0) return "";
  const [line = ""] = message.split("\n");
  return `${count} ${count === 1 ? "call" : "calls"} failed because the tool threw; most often: ${line}`;
}

function codeCounts(counts: Summary["failures"]): string {
  return Object.entries(counts)
    .map(([code, count]) => `${code} ${count}`)
    .join(", ");
}

function outcomes(summary: Summary): string[] {
  const { counts, failures, stopReasons, passAtK, passHatK, usage, turns, toolErrors } = summary;
  const { retries } = summary;
  const share = (count: number): string => percent(count, counts.scored);
  const stops = Object.entries(stopReasons).map(([reason, count]) => `${reason} ${share(count)}`);
  const passes = Object.entries(passAtK)
    .map(([k, value]) => `pass@${k} ${figure(value)}`)
    .concat(
      Object.entries(passHatK)
        .slice(1)
        .map(([k, value]) => `pass^${k} ${figure(value)}`),
    );
  const lines: [string, string][] = [
    [
      "rollouts",
      `${counts.scored} scored, ${counts.failed} failed, ${counts.truncated} truncated${counts.filtered > 0 ? `, ${counts.filtered} filtered` : ""}`,
    ],
    ["ended by", stops.join(", ")],
    ["passed", passes.join(", ")],
    ["turns", `${figure(turns.mean)} on average, at most ${figure(turns.max)}`],
    ["tokens", tokens(usage)],
    ["judge", callsOf(summary.judgeUsage)],
    ["sub-model", callsOf(summary.subModelUsage)],
    ["threw", toolProblems(toolErrors)],
    ["retried", codeCounts(retries)],
  ];
  const hasContent = ([, text]: [string, string]): boolean => text !== "";
  return [
    ...lines.filter(hasContent).map(([name, text]) => `${paint("dim", name.padEnd(9))} ${text}`),
    ...(counts.failed > 0
      ? [
          `${paint("dim", "failed".padEnd(9))} ${paint("red", codeCounts(failures))}`,
          `${paint("dim", "see".padEnd(9))} envs explain ${Object.keys(failures)[0]}`,
        ]
      : []),
  ];
}

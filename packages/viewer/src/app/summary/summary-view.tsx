import { bootstrapMean } from "@envs/records";
import { isFields } from "@envs/records";
import { useMemo } from "react";

import { groupByExample } from "../../analysis/groups.ts";
import { partsOf } from "../../analysis/select-rows.ts";
import { mean } from "../../analysis/statistics.ts";
import type { ViewedTool } from "../../record/rollout.ts";
import type { RolloutRow, RunHead } from "../../run/run.ts";
import { Histogram } from "../compare/histogram.tsx";
import { count, dateTime, dollars, figure, plural, seconds } from "../format.ts";
import { JsonTree } from "../rollout/json-tree.tsx";
import { ToolTable } from "../tool-table.tsx";
import type { ViewProps } from "../view-props.ts";
import { PartScores } from "./part-scores.tsx";
import { ScoreTable } from "./score-table.tsx";

/** The run as a whole: distributions, scores with their weights, endings, and the stored metadata. */
export function SummaryView(props: ViewProps) {
  const { run, scores } = props;
  const { head, rows } = run;
  const rewards = useMemo(
    () => [rows.flatMap(({ reward }) => (reward === null ? [] : [reward]))],
    [rows],
  );
  if (head === undefined) return <main className="quiet loading">Reading the run…</main>;
  return (
    <main className="page text-page">
      <h2>
        {head.environment} <span className="quiet">· {head.model}</span>
      </h2>
      <p className="quiet">
        {[dateTime(head.date), formatNames[head.format], head.place].filter(Boolean).join(" · ")}
      </p>
      {rewards[0]!.length > 0 && (
        <>
          <h3>Reward</h3>
          <Histogram label="Distribution of the reward" samples={rewards} />
        </>
      )}
      {rows.length > 0 && <ScoreSummary {...props} />}
      {rows.length > 0 && <Endings {...props} />}
      <Tools rows={rows} head={head} />
      <Usage rows={rows} head={head} />
      {scores.length === 0 && rows.length === 0 && (
        <p className="quiet">The run has no rollouts.</p>
      )}
      <h3>Metadata</h3>
      {isFields(head.metadata) && <JsonTree json={head.metadata} label="Metadata" />}
    </main>
  );
}

interface UsageProps {
  readonly rows: readonly RolloutRow[];
  readonly head: RunHead;
}

function Tools({ rows, head }: UsageProps) {
  const tools = useMemo(() => {
    const sums = new Map<string, ViewedTool>();
    for (const row of [head, ...rows])
      for (const [name, use] of Object.entries(row.tools ?? {})) {
        const sum = sums.get(name);
        sums.set(name, {
          name,
          calls: use.calls + (sum?.calls ?? 0),
          errors: use.errors + (sum?.errors ?? 0),
          seconds: use.seconds + (sum?.seconds ?? 0),
        });
      }
    return [...sums.values()].toSorted((a, b) => b.calls - a.calls);
  }, [rows, head]);
  if (tools.length === 0) return null;
  return (
    <>
      <h3>Tools</h3>
      <ToolTable tools={tools} />
    </>
  );
}

function Usage({ rows, head }: UsageProps) {
  const sum = (read: (row: RolloutRow) => number | null): number =>
    rows.reduce((total, row) => total + (read(row) ?? 0), 0);
  const [inputTokens, outputTokens] = [
    sum((row) => row.inputTokens),
    sum((row) => row.outputTokens),
  ];
  const judged = head.judge ?? {
    calls: sum(({ judge }) => judge?.calls ?? null),
    inputTokens: sum(({ judge }) => judge?.inputTokens ?? null),
    outputTokens: sum(({ judge }) => judge?.outputTokens ?? null),
  };
  const [cost, time] = [sum((row) => row.cost), sum((row) => row.seconds)];
  return (
    <p className="quiet">
      {[
        inputTokens + outputTokens > 0
          ? `${count(inputTokens)} tokens in, ${count(outputTokens)} out`
          : "",
        cost > 0 ? dollars(cost) : "",
        judged.calls > 0
          ? `judge ${plural(judged.calls, "call")}, ${count(judged.inputTokens)} tokens in, ${count(judged.outputTokens)} out`
          : "",
        time > 0 ? `${seconds(time)} of rollouts` : "",
      ]
        .filter((part) => part !== "")
        .join(" · ")}
    </p>
  );
}

const formatNames = {
  envs: "",
  verifiers: "written by verifiers",
  inspect: "written by Inspect",
} as const;

function ScoreSummary({ run: { head, rows }, scores, navigate }: ViewProps) {
  const groups = useMemo(() => groupByExample(rows, head?.passThreshold ?? 0.5), [rows, head]);
  const byExample = groups.flatMap((group) => (group.mean === null ? [] : [group.mean]));
  const interval = useMemo(() => bootstrapMean(byExample.map((value) => [value])), [groups]);
  const parts = useMemo(() => partsOf(rows), [rows]);
  return (
    <>
      <p>
        {plural(rows.length, "rollout")} of {plural(groups.length, "example")}.
        {interval !== undefined &&
          ` Mean reward by example ${figure(mean(byExample))}, 95 % bootstrap interval ${figure(interval.low)} to ${figure(interval.high)}.`}
      </p>
      <ScoreTable rows={rows} scores={scores} weights={head?.scores ?? []} />
      {parts.length > 0 && (
        <>
          <h3>Parts</h3>
          {parts.map((part) => (
            <PartScores key={part} part={part} rows={rows} scores={scores} navigate={navigate} />
          ))}
        </>
      )}
    </>
  );
}

function Endings({ run: { rows }, navigate }: ViewProps) {
  const endings = useMemo(
    () =>
      [...Map.groupBy(rows, ({ status, ending }) => `${status}: ${ending}`)].toSorted(
        (a, b) => b[1].length - a[1].length,
      ),
    [rows],
  );
  return (
    <>
      <h3>Endings</h3>
      <ul className="endings">
        {endings.slice(0, 20).map(([name, group]) => (
          <li key={name}>
            <button
              type="button"
              className="link"
              onClick={() =>
                navigate({ view: "", where: endingFilter(group[0]!), rollout: group[0]!.id })
              }
            >
              {name}
            </button>{" "}
            <span className="quiet">{count(group.length)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function endingFilter({
  status,
  ending,
}: {
  readonly status: string;
  readonly ending: string;
}): string {
  const quote = ending.includes('"') ? "'" : '"';
  return `${status === "scored" ? "stop" : "error"} == ${quote}${ending}${quote}`;
}

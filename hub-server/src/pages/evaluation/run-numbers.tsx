import type { Run } from "@envs/hub-client";
import type { ReactNode } from "react";

import { number, Table } from "../layout/table.tsx";
import { intervalHeading, IntervalMark, scaleOf } from "./interval-mark.tsx";
import { cost, count, counted, interval, percent, score, short } from "./texts.ts";

/** The headline numbers of a run. */
export function RunNumbers({ summary }: { readonly summary: Run["summary"] }): ReactNode {
  const { counts, reward, usage, passAtK } = summary;
  const attempts = Object.entries(passAtK);
  return (
    <dl className="figures">
      <Figure label="mean reward" value={score(reward.mean)}>
        95 %: {interval(summary.interval)}
      </Figure>
      <Figure label="scored rollouts" value={count(counts.scored)}>
        {counts.failed > 0 ? (
          <span className="failed">
            {count(counts.failed)} failed; with them, boards show {score(summary.ranked.reward)}
          </span>
        ) : (
          "none failed"
        )}
      </Figure>
      <Figure label="examples" value={count(summary.examples)}>
        {counts.truncated > 0 ? `${count(counts.truncated)} rollouts truncated` : "none truncated"}
      </Figure>
      {attempts.map(([k, value]) => (
        <Figure key={k} label={`pass@${k}`} value={percent(value)}>
          all {k} pass: {percent(summary.passHatK[k])}
        </Figure>
      ))}
      <Figure label="tokens" value={short(usage.inputTokens + usage.outputTokens)}>
        {short(usage.inputTokens)} in, {short(usage.outputTokens)} out
        {usage.unknownRollouts > 0 && `, ${counted(usage.unknownRollouts, "rollout")} unknown`}
      </Figure>
      {Object.entries(summary.judges ?? {}).map(([name, judge]) => (
        <Figure
          key={name}
          label={`judge ${name}`}
          value={short(judge.inputTokens + judge.outputTokens)}
        >
          {counted(judge.calls, "call")}
          {judge.cached > 0 && `, ${count(judge.cached)} cached`}
        </Figure>
      ))}
      {summary.cost !== null && (
        <Figure label="cost" value={cost(summary.cost)}>
          by the prices of the run
        </Figure>
      )}
    </dl>
  );
}

function Figure({
  label,
  value,
  children,
}: {
  readonly label: string;
  readonly value: string;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <span className="value">{value}</span>
        <span className="quiet small block">{children}</span>
      </dd>
    </div>
  );
}

/** The scores of a run with their weights. */
export function ScoreTable({
  summary,
  weights,
}: {
  readonly summary: Run["summary"];
  readonly weights: ReadonlyMap<string, number>;
}): ReactNode {
  const order = [...weights.keys()];
  const scores = Object.entries(summary.scores).toSorted(
    ([a], [b]) => order.indexOf(a) - order.indexOf(b),
  );
  if (scores.length === 0) return <p className="quiet">No rollout was scored.</p>;
  const scale = scaleOf(scores.map(([, each]) => each));
  return (
    <Table
      label="Scores"
      className="run-table stacked"
      headings={[
        "Score",
        number("Weight"),
        number("Mean"),
        intervalHeading(scale),
        number("Minimum"),
        number("Maximum"),
        number("Rollouts"),
      ]}
    >
      {scores.map(([name, each]) => (
        <tr key={name}>
          <td>
            <code>{name}</code>
          </td>
          <td className="number">{weights.get(name) === 0 ? "metric" : weights.get(name)}</td>
          <td className="number strong">{score(each.mean)}</td>
          <td>
            <IntervalMark mean={each.mean} interval={each.interval} scale={scale} />
            <span className="quiet small block">{interval(each.interval)}</span>
          </td>
          <td className="number">{score(each.min)}</td>
          <td className="number">{score(each.max)}</td>
          <td className="number">{count(each.count)}</td>
        </tr>
      ))}
    </Table>
  );
}

/** How often the model called each tool. Nothing for a run without tools. */
export function ToolTable({ summary }: { readonly summary: Run["summary"] }): ReactNode {
  const tools = Object.entries(summary.tools ?? {}).toSorted(([, a], [, b]) => b.calls - a.calls);
  if (tools.length === 0) return null;
  return (
    <section>
      <h2>Tools</h2>
      <Table
        label="Tools"
        className="run-table stacked"
        headings={[
          "Tool",
          number("Calls"),
          number("Errors"),
          number("Seconds"),
          number("Seconds per call"),
        ]}
      >
        {tools.map(([name, { calls, errors, seconds }]) => (
          <tr key={name}>
            <td>
              <code>{name}</code>
            </td>
            <td className="number">{count(calls)}</td>
            <td className="number">
              {count(errors)}
              {errors > 0 && calls > 0 && ` (${percent(errors / calls)})`}
            </td>
            <td className="number">{score(seconds)}</td>
            <td className="number">{calls === 0 ? "" : score(seconds / calls)}</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

/** Why rollouts failed, by error code. Nothing if none failed. */
export function Failures({ summary }: { readonly summary: Run["summary"] }): ReactNode {
  const codes = Object.entries(summary.failures);
  if (codes.length === 0) return null;
  return (
    <section>
      <h2>Failures</h2>
      <ul className="tags">
        {codes.map(([code, failures]) => (
          <li key={code} className="tag danger">{`${code}: ${count(failures)}`}</li>
        ))}
      </ul>
      <ul className="list reasons">
        {summary.failureReasons.map(({ code, message, count: failures }) => (
          <li key={message}>
            <div className="what">
              <span className="small quiet">{`${code}, ${counted(failures, "rollout")}`}</span>
              <code>{message}</code>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

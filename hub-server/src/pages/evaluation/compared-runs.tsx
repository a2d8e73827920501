import type { Run } from "@envs/hub-client";
import type { ReactNode } from "react";

import type { Comparison } from "../../evaluations/compare/example-means.ts";
import { NameLink } from "../layout/elements.tsx";
import { number, Table } from "../layout/table.tsx";
import { intervalHeading, IntervalMark, scaleOf } from "./interval-mark.tsx";
import { count, difference, interval, score } from "./texts.ts";

/** The runs with their own means, and their paired differences to the baseline. */
export function ComparedRuns({
  baseline,
  comparisons,
}: {
  readonly baseline: Run;
  readonly comparisons: readonly Comparison[];
}): ReactNode {
  const runs = [baseline, ...comparisons.map(({ run }) => run)];
  const scale = scaleOf(
    runs.map(({ summary }) => ({ mean: summary.reward.mean, interval: summary.interval })),
  );
  const byRun = new Map(comparisons.map((comparison) => [comparison.run.id, comparison]));
  return (
    <Table
      label="Compared runs"
      className="run-table"
      headings={[
        "Run",
        number("Reward"),
        intervalHeading(scale),
        number("Difference"),
        "95 % interval of the difference",
        number("Better"),
        number("Worse"),
        number("Equal"),
        "Result",
      ]}
    >
      {runs.map(({ id, recipe, summary }) => (
        <tr key={id}>
          <td>
            <NameLink href={`/run/${id}`}>{recipe.model}</NameLink>
            <span className="quiet small block">
              {recipe.package}@{recipe.version}
            </span>
          </td>
          <td className="number strong">{score(summary.reward.mean)}</td>
          <td>
            <IntervalMark
              mean={summary.reward.mean}
              interval={summary.interval}
              scale={scale}
              reference={baseline.summary.reward.mean ?? undefined}
            />
          </td>
          <DifferenceCells comparison={byRun.get(id)} />
        </tr>
      ))}
    </Table>
  );
}

function DifferenceCells({ comparison }: { comparison: Comparison | undefined }): ReactNode {
  if (comparison === undefined)
    return (
      <td colSpan={6} className="quiet">
        baseline
      </td>
    );
  const { interval: bounds, better, worse, equal, unpaired } = comparison;
  return (
    <>
      <td className="number strong">{bounds === null ? "–" : difference(bounds.mean)}</td>
      <td className="number-left">{interval(bounds)}</td>
      <td className="number">{count(better)}</td>
      <td className="number">{count(worse)}</td>
      <td className="number">{count(equal)}</td>
      <td>
        <Verdict bounds={bounds} />
        {unpaired > 0 && (
          <span className="quiet small block">{`${count(unpaired)} examples in one run only`}</span>
        )}
      </td>
    </>
  );
}

function Verdict({ bounds }: { readonly bounds: Comparison["interval"] }): ReactNode {
  if (bounds === null) return <span className="tag">too few shared examples</span>;
  if (bounds.low > 0) return <span className="tag good">better</span>;
  if (bounds.high < 0) return <span className="tag danger">worse</span>;
  return (
    <span className="tag" title="The interval of the difference contains 0">
      no clear difference
    </span>
  );
}

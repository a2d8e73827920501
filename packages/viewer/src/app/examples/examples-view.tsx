import { useMemo } from "react";
import { VList } from "virtua";

import { type ExampleGroup, groupByExample } from "../../analysis/groups.ts";
import { figure, plural } from "../format.ts";
import { RewardMark } from "../list/rollout-list.tsx";
import type { ViewProps } from "../view-props.ts";

const orders = ["deviation", "mean", "-mean", "example"] as const;
const orderTitles: Readonly<Record<(typeof orders)[number], string>> = {
  deviation: "highest variance first",
  mean: "lowest mean first",
  "-mean": "highest mean first",
  example: "by example",
};

/** The examples with all of their attempts. Examples on which attempts differ come first, because training learns from these. */
export function ExamplesView({ address, navigate, run }: ViewProps) {
  const order = orders.find((name) => name === address.sort) ?? "deviation";
  const passThreshold = run.head?.passThreshold ?? 0.5;
  const groups = useMemo(() => {
    const all = groupByExample(
      run.rows.filter(({ status }) => status !== "broken"),
      passThreshold,
    );
    return all.toSorted(comparators[order]);
  }, [run.rows, passThreshold, order]);
  const mixed = groups.filter(({ deviation }) => deviation > 0).length;
  return (
    <main className="page">
      <form className="controls control-row" onSubmit={(event) => event.preventDefault()}>
        <select
          aria-label="Order"
          value={order}
          onChange={(event) => navigate({ sort: event.target.value })}
        >
          {orders.map((name) => (
            <option key={name} value={name}>
              {orderTitles[name]}
            </option>
          ))}
        </select>
        <p className="quiet count">
          {plural(groups.length, "example")}, {mixed} with different rewards
        </p>
      </form>
      <div className="example example-heading" aria-hidden="true">
        <span>example</span>
        <span>mean</span>
        <span>std</span>
        <span>passed</span>
        <span>rollouts</span>
      </div>
      <VList className="rows" data={groups} itemSize={46}>
        {(group) => (
          <div key={group.key} className="example">
            <span className="example-name">
              {group.example}
              {group.rows[0]?.mixPart !== undefined && (
                <span className="quiet"> {group.rows[0].mixPart}</span>
              )}
            </span>
            <span className="number">{figure(group.mean)}</span>
            <span className="number">{figure(group.deviation)}</span>
            <span className="number">
              {group.passed}/{group.scored}
            </span>
            <span className="example-rows">
              {group.rows.map((row) => (
                <button
                  key={row.id}
                  type="button"
                  className="link"
                  aria-label={`Rollout ${row.rollout}: ${row.reward === null ? row.ending : figure(row.reward)}`}
                  title={row.preview}
                  onClick={() => navigate({ view: "", rollout: row.id, sort: "" })}
                >
                  <RewardMark row={row} passThreshold={passThreshold} />
                </button>
              ))}
            </span>
          </div>
        )}
      </VList>
    </main>
  );
}

const comparators: Readonly<
  Record<(typeof orders)[number], (a: ExampleGroup, b: ExampleGroup) => number>
> = {
  deviation: (a, b) => b.deviation - a.deviation,
  mean: (a, b) => (a.mean ?? Infinity) - (b.mean ?? Infinity),
  "-mean": (a, b) => (b.mean ?? -Infinity) - (a.mean ?? -Infinity),
  example: () => 0,
};

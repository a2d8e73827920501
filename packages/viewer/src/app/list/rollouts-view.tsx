import { messageOf } from "@envs/core/engine";
import { useMemo } from "react";

import { groupAdvantage, groupByExample } from "../../analysis/groups.ts";
import { selectRows } from "../../analysis/select-rows.ts";
import type { RolloutRow } from "../../run/run.ts";
import { useKeys } from "../keys.ts";
import { RolloutView } from "../rollout/rollout-view.tsx";
import type { ViewProps } from "../view-props.ts";
import { ListControls } from "./list-controls.tsx";
import { RolloutList } from "./rollout-list.tsx";
import { useSearch } from "./use-search.ts";

/** The list of rollouts beside the open one. */
export function RolloutsView(props: ViewProps) {
  const { address, navigate, run, scores } = props;
  const { where, status, part, sort, text } = address;
  const search = useSearch(address.run, text, run);
  const { rows, problem } = useMemo(() => {
    try {
      const ids = text === "" ? undefined : new Set(search.matches.keys());
      return {
        rows: selectRows(run.rows, scores, { where, status, part, sort, ids }),
        problem: undefined,
      };
    } catch (error) {
      return { rows: run.rows, problem: messageOf(error) };
    }
  }, [run.rows, scores, where, status, part, sort, text, search.matches]);

  // A screen with both columns shows the first rollout until another one is opened.
  const isChosen = address.rollout !== "";
  const open = isChosen
    ? rows.findIndex(({ id }) => id === address.rollout)
    : rows.length > 0
      ? 0
      : -1;
  const row = rows[open] ?? run.rows.find(({ id }) => id === address.rollout);
  const show = (target: RolloutRow | undefined): void => {
    if (target !== undefined) navigate({ rollout: target.id, message: "" }, "replace");
  };
  const next = () => show(rows[open + 1]);
  const previous = () => show(rows[Math.max(0, open - 1)]);
  useKeys({
    j: next,
    ArrowDown: next,
    k: previous,
    ArrowUp: previous,
    Escape: () => navigate({ rollout: "", message: "" }),
    s: () => navigate({ sort: sort === "" ? "reward" : sort === "reward" ? "-reward" : "" }),
  });

  const advantage = useAdvantage(run.rows, row);
  return (
    <main className={isChosen && row !== undefined ? "split has-detail" : "split"}>
      <section className="pane list-pane" aria-label="Rollouts">
        <ListControls {...props} rows={rows} problem={problem} search={search} />
        <RolloutList
          rows={rows}
          passThreshold={run.head?.passThreshold ?? 0.5}
          open={open}
          isReady={run.isReady}
          matches={search.matches}
          onOpen={(target) =>
            navigate({
              rollout: target.id,
              message: String(search.matches.get(target.id)?.message ?? ""),
            })
          }
        />
      </section>
      <section className="pane detail-pane" aria-label="Rollout">
        {row === undefined ? (
          <p className="quiet empty">
            {isChosen && run.isReady ? `The run has no rollout ${address.rollout}.` : ""}
          </p>
        ) : (
          <RolloutView
            address={address}
            navigate={navigate}
            head={run.head}
            row={row}
            advantage={advantage}
            position={open === -1 ? undefined : { index: open, count: rows.length }}
            onNext={next}
            onPrevious={previous}
          />
        )}
      </section>
    </main>
  );
}

function useAdvantage(
  rows: readonly RolloutRow[],
  row: RolloutRow | undefined,
): number | undefined {
  return useMemo(() => {
    if (row === undefined) return undefined;
    const [group] = groupByExample(
      rows.filter(({ key }) => key === row.key),
      0,
    );
    return group && groupAdvantage(group, row);
  }, [rows, row]);
}

import { useEffect, useRef } from "react";
import { VList, type VListHandle } from "virtua";

import type { RolloutRow, SearchMatch } from "../../run/run.ts";
import { figure, plural } from "../format.ts";

interface RolloutListProps {
  readonly rows: readonly RolloutRow[];
  readonly passThreshold: number;
  /** The index of the open row; -1 for none. */
  readonly open: number;
  readonly isReady: boolean;
  readonly matches: ReadonlyMap<string, SearchMatch>;
  readonly onOpen: (row: RolloutRow) => void;
}

/** The rows that are on the screen, of any number of rollouts. */
export function RolloutList(props: RolloutListProps) {
  const { rows, passThreshold, open, isReady, matches, onOpen } = props;
  const list = useRef<VListHandle>(null);
  useEffect(() => {
    if (open !== -1) list.current?.scrollToIndex(open, { align: "nearest" });
  }, [open]);
  if (rows.length === 0)
    return <p className="quiet empty">{isReady ? "No rollout matches." : "Reading the run…"}</p>;
  return (
    <VList
      ref={list}
      className="rows"
      data={rows}
      itemSize={58}
      role="listbox"
      aria-label="Rollouts"
      tabIndex={0}
    >
      {(row, index) => (
        <Row
          key={row.id}
          row={row}
          passThreshold={passThreshold}
          isOpen={index === open}
          match={matches.get(row.id)}
          onOpen={onOpen}
        />
      )}
    </VList>
  );
}

/** The characters of text before a match; more would push the match out of the row. */
const shownBefore = 20;

interface RowProps {
  readonly row: RolloutRow;
  readonly passThreshold: number;
  readonly isOpen: boolean;
  readonly match: SearchMatch | undefined;
  readonly onOpen: (row: RolloutRow) => void;
}

function Row({ row, passThreshold, isOpen, match, onOpen }: RowProps) {
  return (
    <button
      type="button"
      role="option"
      aria-selected={isOpen}
      className={`row row-${row.status}`}
      onClick={() => onOpen(row)}
    >
      <span className="row-reward">
        <RewardMark row={row} passThreshold={passThreshold} />
      </span>
      <span className="row-id">{rowName(row)}</span>
      <span className="row-facts">
        {row.mixPart !== undefined && <span className="row-part">{row.mixPart}</span>}
        {row.status === "broken" || plural(row.turns, "turn")}
        {row.status !== "scored" && <b className="row-failure">{row.ending}</b>}
        {row.isTruncated && <b className="row-warning">truncated</b>}
      </span>
      <span className="row-preview">
        {match === undefined ? (
          row.preview
        ) : (
          <>
            …{match.before.slice(-shownBefore)}
            <mark>{match.match}</mark>
            {match.after}…
          </>
        )}
      </span>
    </button>
  );
}

/** “12 / 0”: the example and the attempt. */
export function rowName({ status, id, example, rollout }: RolloutRow): string {
  return status === "broken" ? id : `${example} / ${rollout}`;
}

interface RewardMarkProps {
  readonly row: RolloutRow;
  readonly passThreshold: number;
}

/** The reward as a number. Its colour distinguishes rollouts that pass, that got a part of the reward, and that failed. */
export function RewardMark({ row: { reward }, passThreshold }: RewardMarkProps) {
  const tone =
    reward === null
      ? "none"
      : reward >= passThreshold
        ? "good"
        : reward > 0
          ? "part"
          : reward < 0
            ? "bad"
            : "zero";
  return <span className={`reward reward-${tone}`}>{reward === null ? "✕" : figure(reward)}</span>;
}

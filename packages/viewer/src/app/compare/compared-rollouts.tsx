import { useState } from "react";

import type { Pair, PairSide } from "../../analysis/compare-runs.ts";
import type { RunHead } from "../../run/run.ts";
import { useKeys } from "../keys.ts";
import { RewardMark } from "../list/rollout-list.tsx";
import { RolloutView } from "../rollout/rollout-view.tsx";
import type { RunState } from "../run-store.ts";
import type { ViewProps } from "../view-props.ts";

interface ComparedRolloutsProps extends ViewProps {
  readonly pair: Pair;
  readonly other: RunState;
}

/** The rollouts of one example in both runs, side by side. */
export function ComparedRollouts(props: ComparedRolloutsProps) {
  const { address, navigate, run, other, pair } = props;
  const close = () => navigate({ rollout: "" });
  useKeys({ Escape: close });
  return (
    <>
      <p className="buttons">
        <button type="button" className="small second" onClick={close}>
          All examples
        </button>
      </p>
      <div className="side-by-side">
        <Side {...props} head={run.head} runId={address.run} side={pair.first} series={1} />
        <Side {...props} head={other.head} runId={address.other} side={pair.second} series={2} />
      </div>
    </>
  );
}

interface SideProps extends ComparedRolloutsProps {
  readonly head: RunHead | undefined;
  readonly runId: string;
  readonly side: PairSide;
  readonly series: number;
}

function Side({ address, navigate, head, runId, side, series }: SideProps) {
  const [attempt, setAttempt] = useState(0);
  const row = side.rows[attempt] ?? side.rows[0]!;
  return (
    <section className={`side side-${series}`} aria-label={head?.model}>
      <h2>
        <span className={`swatch series-${series}`} aria-hidden="true" /> {head?.model}
      </h2>
      <p className="attempts">
        {side.rows.map((other, index) => (
          <button
            key={other.id}
            type="button"
            className="link"
            aria-pressed={index === attempt}
            aria-label={`Rollout ${other.rollout}`}
            onClick={() => setAttempt(index)}
          >
            <RewardMark row={other} passThreshold={head?.passThreshold ?? 0.5} />
          </button>
        ))}
      </p>
      <RolloutView
        address={{ ...address, run: runId, message: "" }}
        navigate={navigate}
        head={head}
        row={row}
        advantage={undefined}
      />
    </section>
  );
}

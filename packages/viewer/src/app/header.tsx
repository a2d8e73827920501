import { useMemo } from "react";

import { mean } from "../analysis/statistics.ts";
import type { RunHead } from "../run/run.ts";
import { Figure } from "./figure.tsx";
import { count, dateTime, dollars, figure, percent } from "./format.ts";
import { useKeys } from "./keys.ts";
import type { HomeLink, ViewProps } from "./view-props.ts";

const views = [
  ["", "Rollouts"],
  ["examples", "Examples"],
  ["compare", "Compare"],
  ["summary", "Summary"],
] as const;

interface HeaderProps extends ViewProps {
  readonly home: HomeLink | undefined;
  readonly onHelp: () => void;
}

/** The open run, its figures, and the views. */
export function Header(props: HeaderProps) {
  const { address, navigate, runs, run, home, onHelp } = props;
  const isTraining = run.head?.kind === "training";
  const shown = isTraining ? ([["", "Curves"], views[3]] as const) : views;
  useKeys(
    Object.fromEntries(
      views.map(([view], index) => [String(index + 1), () => navigate({ view, message: "" })]),
    ),
  );
  return (
    <header className="bar">
      <h1 className="unseen">
        {run.head === undefined
          ? "Rollouts"
          : `Rollouts of ${run.head.model} on ${run.head.environment}`}
      </h1>
      {home !== undefined && (
        <a className="home-link" href={home.address}>
          {home.title}
        </a>
      )}
      <div className="bar-run">
        <select
          aria-label="Run"
          value={address.run}
          onChange={(event) =>
            navigate({ run: event.target.value, rollout: "", message: "", view: "" })
          }
        >
          {runs.some(({ id }) => id === address.run) || (
            <option value={address.run}>
              {runTitle(run.head ?? { environment: address.run, model: "", date: null })}
            </option>
          )}
          {runs.map((entry) => (
            <option key={entry.id} value={entry.id}>
              {runTitle(entry)}
            </option>
          ))}
        </select>
        <LiveState {...props} />
      </div>
      <nav aria-label="Views">
        {run.head?.training !== undefined && (
          <button
            type="button"
            className="tab"
            onClick={() =>
              navigate({ run: run.head?.training ?? "", view: "", rollout: "", message: "" })
            }
          >
            Training
          </button>
        )}
        {shown.map(([view, title]) => (
          <button
            key={view}
            type="button"
            className="tab"
            aria-current={address.view === view ? "page" : undefined}
            onClick={() => navigate({ view, message: "" })}
          >
            {title}
          </button>
        ))}
        <button type="button" className="tab" aria-label="Keys" title="Keys (?)" onClick={onHelp}>
          ?
        </button>
      </nav>
      {isTraining || <Figures {...props} />}
    </header>
  );
}

export function runTitle({
  environment,
  model,
  date,
}: {
  environment: string;
  model: string;
  date: string | null;
}): string {
  return [environment, model, dateTime(date)].filter((part) => part !== "").join(" · ");
}

function LiveState({ run: { head, isReady, rows } }: ViewProps) {
  if (head === undefined || head.isComplete) return null;
  const progress = head.planned === null ? "" : ` ${count(rows.length)} of ${count(head.planned)}`;
  return (
    <span className="live" role="status">
      <span className="live-dot" aria-hidden="true" /> {isReady ? "running" : "reading"}
      {progress}
    </span>
  );
}

/** The cost in the currency of the run's prices, which the run does not name. */
function savedCost(cost: RunHead["cost"]): readonly [string, string][] {
  if (cost === undefined) return [];
  const source = cost.source === undefined ? "" : ` by ${cost.source}`;
  return [["cost", `${cost.total.toFixed(4)}${source}`]];
}

function Figures({ run: { rows, head, isReady } }: ViewProps) {
  const figures = useMemo((): readonly (readonly [name: string, value: string])[] => {
    const rewards = rows.flatMap(({ reward }) => (reward === null ? [] : [reward]));
    const failed = rows.filter(({ status }) => status !== "scored").length;
    const passed = rewards.filter((reward) => reward >= (head?.passThreshold ?? 0.5)).length;
    const cost = rows.reduce((sum, row) => sum + (row.cost ?? 0), 0);
    return [
      ["rollouts", count(rows.length)],
      ["mean reward", figure(mean(rewards))],
      ["passed", rewards.length === 0 ? "–" : percent(passed / rewards.length)],
      ...(failed > 0 ? [["failed", count(failed)] as const] : []),
      ...(cost > 0 ? [["cost", dollars(cost)] as const] : savedCost(head?.cost)),
    ];
  }, [rows, head]);
  return (
    <dl className="figures" aria-busy={!isReady}>
      {figures.map(([name, value]) => (
        <Figure key={name} name={name} value={value} />
      ))}
    </dl>
  );
}

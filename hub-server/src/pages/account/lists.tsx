import type { PackageSummary, Run } from "@envs/hub-client";
import { PackageItem } from "@envs/web/package-list";
import type { ReactNode } from "react";

import { toneOf } from "../evaluation/badges.tsx";
import { score } from "../evaluation/texts.ts";
import { Day, NameLink } from "../layout/elements.tsx";

/** A list of runs, or what to do if it is empty. */
export function RunList({ runs, empty }: { runs: readonly Run[]; empty: ReactNode }): ReactNode {
  if (runs.length === 0) return <div className="empty">{empty}</div>;
  return (
    <ul className="list" aria-label="Runs">
      {runs.map((run) => (
        <RunEntry key={run.id} {...run} />
      ))}
    </ul>
  );
}

function RunEntry({ id, kind, recipe, summary, badges, pushedAt }: Run): ReactNode {
  // Boards show the same number.
  const { reward } = summary.ranked;
  const badge = badges.at(-1)?.name;
  return (
    <li>
      <div className="what">
        <a href={`/run/${id}`}>
          <strong>{recipe.model}</strong>
        </a>
        <span>
          on{" "}
          <NameLink href={`/package/${recipe.package}/v/${recipe.version}`}>
            {`${recipe.package}@${recipe.version}`}
          </NameLink>
        </span>
        <span className="quiet small">
          {summary.counts.total.toLocaleString("en")} rollouts, pushed on{" "}
          <Day date={new Date(pushedAt)} />
        </span>
      </div>
      <ul className="tags">
        {kind === "training" && <li className="tag">training</li>}
        {reward !== null && <li className="tag accent">{`reward ${score(reward)}`}</li>}
        {badge !== undefined && <li className={toneOf(badge)}>{badge}</li>}
      </ul>
    </li>
  );
}

/** A list of packages, or what to do if it is empty. */
export function PackageList({
  packages,
  label,
  empty,
}: {
  readonly packages: readonly PackageSummary[];
  readonly label: string;
  readonly empty: ReactNode;
}): ReactNode {
  if (packages.length === 0) return <div className="empty">{empty}</div>;
  return (
    <ol className="package-list" aria-label={label}>
      {packages.map((item) => (
        <li key={item.name}>
          <PackageItem item={item} />
        </li>
      ))}
    </ol>
  );
}

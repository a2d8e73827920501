import type { PackageSummary } from "@envs/hub-client";
import type { ReactNode } from "react";

import { readableIds } from "../../../api/profile.ts";
import type { Hub } from "../../../platform/hub/hub.ts";
import { summariesOf } from "../../../search/summaries.ts";
import { Command, Entry } from "../../layout/elements.tsx";
import { packagePath, type PackageView, versionPath } from "../package-view.ts";

/** An environment of a suite, with the version or range that the suite depends on. */
interface SuiteMember {
  readonly summary: PackageSummary;
  readonly range: string;
}

/** The environments among the dependencies of a package, limited to those that the visitor may read. */
export async function suiteMembers(
  { database }: Hub,
  { version: { dependencies }, identity }: PackageView,
): Promise<readonly SuiteMember[]> {
  const ids = await readableIds(database, identity, Object.keys(dependencies).slice(0, 200));
  const summaries = await summariesOf(database, [...ids.values()]);
  return summaries
    .filter(({ isEnvironment }) => isEnvironment)
    .map((summary) => ({ summary, range: dependencies[summary.name] ?? "" }));
}

/** The environments of a suite, and the command that runs it. */
export function SuiteMembers({
  name: suite,
  members,
}: {
  readonly name: string;
  readonly members: readonly SuiteMember[];
}): ReactNode {
  return (
    <section className="section">
      <h2 id="members">Environments of the suite</h2>
      <p className="quiet">
        Their versions, configs and seeds are locked. One command evaluates a model on all of them,
        and adds it to the <a href={`${packagePath(suite)}/evaluations`}>leaderboard</a>:
      </p>
      <Command text={`envs suite run ${suite} -m <model> --push`} />
      <ul className="list">
        {members.map(({ summary: { name, description }, range }) => (
          <li key={name}>
            <Entry
              title={name}
              href={/^\d/.test(range) ? versionPath(name, range) : packagePath(name)}
              isName
            >
              {description}
            </Entry>
            <code className="quiet small">{range}</code>
          </li>
        ))}
      </ul>
    </section>
  );
}

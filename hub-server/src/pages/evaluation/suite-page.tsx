import type { FastifyRequest } from "fastify";
import type { ReactNode } from "react";
import * as z from "zod";

import { type SuiteBoard, suiteBoardOf } from "../../evaluations/leaderboard/suite-board.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { Select } from "../layout/choices.tsx";
import { Command } from "../layout/elements.tsx";
import type { PageContent } from "../layout/frame.tsx";
import { packagePage } from "../package/package-page.tsx";
import type { PackageView } from "../package/package-view.ts";
import { SuiteTable } from "./suite-table.tsx";
import { boardPath, counted } from "./texts.ts";

const querySchema = z.object({ version: z.string().max(256).optional().catch(undefined) });

/** The leaderboard of a suite: that of the latest version, unless `?version=` selects another one. */
export async function suitePage(
  hub: Hub,
  view: PackageView,
  request: FastifyRequest,
): Promise<PageContent> {
  const { name } = view.detail;
  const { version } = querySchema.parse(request.query);
  const board = await suiteBoardOf(hub, {
    package: view.package,
    identity: view.identity,
    version: version || view.version.version,
  });
  return packagePage(view, {
    tab: "evaluations",
    title: "Leaderboard",
    meta: {
      path: boardPath(name, {}),
      description: `Language models on all environments of ${name}, ranked with 95 % intervals.`,
    },
    children: (
      <>
        <h2>Leaderboard</h2>
        <VersionChoice view={view} version={board?.version} />
        {board === undefined ? (
          <div className="empty">
            <p>This version has no valid envs.suite.json, so it locks no evaluations.</p>
          </div>
        ) : (
          <Board name={name} board={board} />
        )}
      </>
    ),
  });
}

function VersionChoice({
  view: { detail },
  version,
}: {
  readonly view: PackageView;
  readonly version: string | undefined;
}): ReactNode {
  if (detail.versions.length < 2) return null;
  return (
    <form className="board-choice" method="get">
      <Select
        label="Version of the suite"
        name="version"
        value={version}
        choices={detail.versions.map((each) => ({ value: each.version, label: each.version }))}
      />
      <button className="second">Show</button>
    </form>
  );
}

function Board({ name, board }: { readonly name: string; readonly board: SuiteBoard }): ReactNode {
  const { version, locked, members, rows } = board;
  const missing = locked - members.length;
  return (
    <>
      <p>
        Version {version} locks {counted(locked, "evaluation")}. One command runs all of them and
        adds a model:
      </p>
      <Command text={`envs suite run ${name} -m <model> --push`} />
      {missing > 0 && (
        <p className="notice">
          {counted(missing, "evaluation")} of the suite {missing === 1 ? "has" : "have"} no column:
          the package is not on this hub, or you may not read it. Ranks do not depend on{" "}
          {missing === 1 ? "it" : "them"}.
        </p>
      )}
      {rows.length === 0 ? (
        <div className="empty">
          <p>No run matches this suite yet.</p>
        </div>
      ) : (
        <SuiteTable members={members} rows={rows} />
      )}
      <p className="small quiet">
        Models are ordered by the mean of their ranks in the evaluations, because the rewards of
        different environments have different ranges. The rank in an evaluation is 1 + the number of
        ranked models whose interval is above this one; = marks ties. A model that misses an
        evaluation is listed below, without a rank.
      </p>
      <p className="small quiet">
        A run counts if it was declared and not refuted, and has the version, config, split, number
        of examples and number of rollouts of the suite, default sampling and no additional limits.
        Of several runs of a model by one user, the newest counts. Download the table as{" "}
        <a href={`/api/v1/packages/${name}/suite?version=${encodeURIComponent(version)}`}>JSON</a>.
      </p>
    </>
  );
}

import { routes } from "@envs/hub-client";
import type { FastifyInstance } from "fastify";
import type { ReactNode } from "react";

import { leaderboardCsv } from "../../evaluations/csv/run-tables.ts";
import { type Leaderboard, leaderboardOf } from "../../evaluations/leaderboard/leaderboard.ts";
import { packageRoute } from "../../platform/http/package-route.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { kindOf } from "../package/package-kind.ts";
import { packagePage, packageTab } from "../package/package-page.tsx";
import { packageView } from "../package/package-view.ts";
import { BoardChoice } from "./board-choice.tsx";
import { LeaderboardTable } from "./leaderboard-table.tsx";
import { suitePage } from "./suite-page.tsx";
import { boardPath, configText, counted } from "./texts.ts";
import { TokenPlot } from "./token-plot.tsx";

const { query: querySchema } = routes.readLeaderboard;

/** Registers the page of a package's leaderboards, and the table of one as CSV. */
export function leaderboardPages(app: FastifyInstance, hub: Hub): void {
  packageTab(app, hub, {
    after: "/evaluations",
    async content(name, visit) {
      const view = await packageView(hub, visit, { name });
      if (kindOf(view.version) === "suite") return await suitePage(hub, view, visit.request);
      const query = parseQuery(visit.request.query);
      const { id: packageId } = view.package;
      const reader = { packageId, identity: view.identity };
      const leaderboard = await leaderboardOf(hub.database, reader, query);
      return packagePage(view, {
        tab: "evaluations",
        title: "Leaderboard",
        meta: {
          path: boardPath(name, {}),
          description: `Evaluations of language models on ${name}, ranked with 95 % intervals.`,
        },
        children: <LeaderboardPage {...{ name, leaderboard, query }} />,
      });
    },
  });

  packageRoute(app, "GET /package/:package/evaluations.csv", async (name, request, reply) => {
    const { package: package_, identity } = await packageView(hub, { request, reply }, { name });
    const reader = { packageId: package_.id, identity };
    const { rows } = await leaderboardOf(hub.database, reader, parseQuery(request.query));
    return reply
      .type("text/csv; charset=utf-8")
      .header("content-disposition", 'attachment; filename="leaderboard.csv"')
      .send(leaderboardCsv(rows));
  });
}

type Query = ReturnType<typeof parseQuery>;

/** The parameters of the page. Empty fields of its form do not count, and neither do invalid ones. */
function parseQuery(query: unknown) {
  const fields = Object.entries(query as Readonly<Record<string, unknown>>).filter(
    ([name, value]) => value !== "" && Object.hasOwn(querySchema.shape, name),
  );
  return querySchema.safeParse(Object.fromEntries(fields)).data ?? {};
}

function LeaderboardPage({
  name,
  leaderboard: { board, boards, rows },
  query,
}: {
  readonly name: string;
  readonly leaderboard: Leaderboard;
  readonly query: Query;
}): ReactNode {
  const [newest] = boards;
  if (newest === undefined) return <NoEvaluations name={name} />;
  if (board === null)
    return (
      <div className="empty">
        <p>No evaluation has this version, config and set of examples.</p>
        <p>
          <a href={boardPath(name, {})}>Show the newest leaderboard</a>
        </p>
      </div>
    );
  const { version, configHash: config, exampleSet: examples } = board;
  const address = { version, config, examples, model: query.model, badge: query.badge };
  return (
    <>
      <h2>Leaderboard</h2>
      <p>
        Version {version} with {configText(board.config)}, on the same{" "}
        {counted(board.examples, "example")}.
      </p>
      <BoardChoice {...{ board, boards, model: query.model, badge: query.badge }} />
      {rows.length === 0 ? (
        <div className="empty">
          <p>No run of this board matches the filters.</p>
          <p>
            <a href={boardPath(name, { version, config, examples })}>Show all of its runs</a>
          </p>
        </div>
      ) : (
        <>
          <LeaderboardTable rows={rows} />
          <TokenPlot rows={rows} />
        </>
      )}
      <p className="small quiet">
        The rank is 1 + the number of runs whose interval is above this one; = marks ties. Intervals
        are bootstraps over examples. Failed rollouts are counted, and have no reward. This board
        never mixes versions, configs or examples. Download it as{" "}
        <a href={boardPath(name, address, ".csv")}>CSV</a> or{" "}
        <a href={`/api/v1/packages/${name}/leaderboard?${searchOf(address)}`}>JSON</a>.
      </p>
    </>
  );
}

function searchOf(address: Readonly<Record<string, string | undefined>>): string {
  const path = boardPath("", address);
  return path.slice(path.indexOf("?") + 1);
}

function NoEvaluations({ name }: { readonly name: string }): ReactNode {
  const command = `envs eval ${name} -m <model> -n 100 --push`;
  return (
    <div className="empty">
      <p>{name} has no evaluations yet.</p>
      <p>
        Install the environment, then evaluate a model: <code>{command}</code>
      </p>
    </div>
  );
}

import { routes } from "@envs/hub-client";
import type { FastifyInstance } from "fastify";
import type { ReactNode } from "react";

import { leaderboardCsv } from "../../evaluations/csv/run-tables.ts";
import { type Leaderboard, leaderboardOf } from "../../evaluations/leaderboard/leaderboard.ts";
import { packageRoute } from "../../platform/http/package-route.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { NameLink } from "../layout/elements.tsx";
import { kindOf } from "../package/package-kind.ts";
import { packagePage, packageTab } from "../package/package-page.tsx";
import { packageView } from "../package/package-view.ts";
import { BoardChoice } from "./board-choice.tsx";
import { LeaderboardTable } from "./leaderboard-table.tsx";
import { suitePage } from "./suite-page.tsx";
import { boardPath, configText, declaredText, modelPath, sampleText } from "./texts.ts";
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
      const leaderboard = await leaderboardOf(hub, reader, query);
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
    const { rows } = await leaderboardOf(hub, reader, parseQuery(request.query));
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
  leaderboard: { board, boards, rows, declared },
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
        <p>No evaluation has this version, config and choice of examples.</p>
        <p>
          <a href={boardPath(name, {})}>Show the newest leaderboard</a>
        </p>
      </div>
    );
  const { version, configHash: config, sample: examples } = board;
  const ranked = rows.filter(({ rank }) => rank !== null);
  const unranked = rows.filter(({ rank }) => rank === null);
  const address = { version, config, examples, model: query.model, badge: query.badge };
  return (
    <>
      <h2>Leaderboard</h2>
      <p>
        Version {version} with {configText(board.config)}, on {sampleText(board)}.
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
          {ranked.length > 0 && (
            <LeaderboardTable label="Leaderboard" rows={ranked} declared={declared} />
          )}
          {unranked.length > 0 && (
            <section>
              <h2>Without a rank</h2>
              <p>
                These runs were not declared before they were played, or their replay gave other
                rewards. <a href="/docs/concepts/evidence">What the evidence means</a>
              </p>
              <LeaderboardTable label="Runs without a rank" rows={unranked} declared={declared} />
            </section>
          )}
          <TokenPlot rows={ranked} />
        </>
      )}
      <NeverBack rows={rows} declared={declared} />
      <p className="small quiet">
        The rank is 1 + the number of runs whose interval is above this one; = marks ties. Intervals
        are bootstraps over examples. A failed rollout counts as the lowest reward, and passes
        never. A rollout passes from the environment’s threshold. This board never mixes versions or
        configs. Download it as <a href={boardPath(name, address, ".csv")}>CSV</a> or{" "}
        <a href={`/api/v1/packages/${name}/leaderboard?${searchOf(address)}`}>JSON</a>.
      </p>
    </>
  );
}

function searchOf(address: Readonly<Record<string, string | undefined>>): string {
  const path = boardPath("", address);
  return path.slice(path.indexOf("?") + 1);
}

/** The models of declared runs that have no run on the board. */
function NeverBack({ rows, declared }: Pick<Leaderboard, "rows" | "declared">): ReactNode {
  const missing = declared.filter(
    ({ owner, model, completed }) =>
      completed === 0 && !rows.some(({ run }) => run.owner === owner && run.recipe.model === model),
  );
  if (missing.length === 0) return null;
  return (
    <section>
      <h2>Declared, not pushed</h2>
      <ul className="list">
        {missing.map((each) => (
          <li key={`${each.owner} ${each.model}`}>
            <span className="what">
              <NameLink href={modelPath(each.model)}>{each.model}</NameLink>
              <span className="quiet small">
                <a href={`/user/${each.owner}`}>{each.owner}</a>: {declaredText(each)}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
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

import { routes } from "@envs/hub-client";
import type { FastifyInstance, FastifyRequest } from "fastify";

import { readablePackage } from "../access/permissions/require-package.ts";
import { identify, type Identity } from "../identity/request/identity.ts";
import { notFound } from "../platform/errors/hub-error.ts";
import { apiRoute } from "../platform/http/api-route.ts";
import type { Hub } from "../platform/hub/hub.ts";
import { leaderboardOf } from "./leaderboard/leaderboard.ts";
import { suiteBoardOf } from "./leaderboard/suite-board.ts";
import { listRollouts, readMetrics } from "./rollouts/list-rollouts.ts";
import { readRow, readRows } from "./rollouts/read-rows.ts";
import { countRuns, readRuns, requireRun } from "./runs/read-runs.ts";

/** Registers the routes that read runs, their rollouts and leaderboards. */
export function runReadRoutes(app: FastifyInstance, hub: Hub): void {
  const { database } = hub;
  const readerOf = (request: FastifyRequest): Promise<Identity | undefined> =>
    identify(hub, request);

  /** The readers of a public package's runs need no token, so it is not checked. */
  const packageOf = async (name: string, request: FastifyRequest) => {
    const { id: packageId, access } = await readablePackage(hub, request, name);
    return { packageId, identity: access === "public" ? undefined : await readerOf(request) };
  };

  apiRoute(app, routes.readLeaderboard, async ({ params: { name }, query, request }) => {
    const { packageId, identity } = await packageOf(name, request);
    const { board, boards, rows, declared } = await leaderboardOf(
      hub,
      { packageId, identity },
      query,
    );
    return { board, boards: [...boards], rows: [...rows], declared: [...declared] };
  });

  // A public suite may have private members, so the token counts.
  apiRoute(app, routes.readSuite, async ({ params: { name }, query: { version }, request }) => {
    const package_ = await readablePackage(hub, request, name);
    const identity = await readerOf(request);
    const board = await suiteBoardOf(hub, { package: package_, identity, version });
    if (board === undefined) throw notFound(`A valid suite file of ${name}@${version ?? "latest"}`);
    return { ...board, members: [...board.members], rows: [...board.rows] };
  });

  apiRoute(app, routes.listRuns, async ({ params: { name }, query, request }) => {
    const { packageId, identity } = await packageOf(name, request);
    const { from, limit, ...choice } = query;
    const filter = { packageId, ...choice };
    const items = await readRuns(database, identity, filter, { from, limit });
    return { items: [...items], total: await countRuns(database, identity, filter) };
  });

  apiRoute(app, routes.readRun, async ({ params, request }) =>
    requireRun(database, await readerOf(request), params.run),
  );

  apiRoute(app, routes.listRollouts, async ({ params, query, request }) =>
    listRollouts(database, await requireRun(database, await readerOf(request), params.run), query),
  );

  apiRoute(app, routes.readRollouts, async ({ params, query, request }) => {
    const { id } = await requireRun(database, await readerOf(request), params.run);
    return await readRows(hub, id, query);
  });

  apiRoute(app, routes.readRollout, async ({ params: { run, position }, request }) => {
    const { id } = await requireRun(database, await readerOf(request), run);
    return await readRow(hub, id, position);
  });

  apiRoute(app, routes.readMetrics, async ({ params, request }) => {
    const { id } = await requireRun(database, await readerOf(request), params.run);
    return { items: await readMetrics(database, id) };
  });
}

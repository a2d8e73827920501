import { Readable } from "node:stream";

import type { Run } from "@envs/hub-client";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

import { extremeExamples } from "../../evaluations/compare/example-means.ts";
import { rolloutsCsv } from "../../evaluations/csv/run-tables.ts";
import { listRollouts, readMetrics } from "../../evaluations/rollouts/list-rollouts.ts";
import { runLines } from "../../evaluations/rollouts/read-rows.ts";
import { deleteRun } from "../../evaluations/runs/change-run.ts";
import { equalRun } from "../../evaluations/runs/equal-run.ts";
import { describedScores, requireRun } from "../../evaluations/runs/read-runs.ts";
import { repeatsOf } from "../../evaluations/runs/reproductions.ts";
import { requireOwnRun } from "../../evaluations/upload/upload-rights.ts";
import { identify, requireWriter } from "../../identity/request/identity.ts";
import { requireSecondFactorFor } from "../../identity/second-factor/second-factor.ts";
import { userOf } from "../../identity/sessions/visitor.ts";
import type { Database } from "../../platform/database/tables.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { readRescoring } from "../../rescoring/job-queue.ts";
import { mayRequestPlay, readPlay, requestPlay } from "../../runner/plays.ts";
import { NameLink } from "../layout/elements.tsx";
import { handleChange } from "../layout/handle-change.tsx";
import { publicPage } from "../layout/public-page.ts";
import { RunPage } from "./run-page.tsx";
import { modelPath, score } from "./texts.ts";

interface RunRoute {
  Params: { readonly run: string };
}

const shownExamples = 5;

/** Registers the page of a run, its downloads, and the form that deletes it. */
export function runPages(app: FastifyInstance, hub: Hub): void {
  const { database } = hub;

  publicPage<RunRoute>(app, hub, "/run/:run", async (request, visitor) => {
    const identity = await identify(hub, request);
    const run = await requireRun(database, identity, request.params.run);
    const { id, recipe, summary } = run;
    const [best, worst] = await Promise.all(
      (["best", "worst"] as const).map((order) =>
        extremeExamples(database, id, { order, limit: shownExamples }),
      ),
    );
    const metrics = run.kind === "training" ? await readMetrics(database, id) : [];
    const scores = await describedScores(database, run);
    const weights = new Map(scores.map(({ name, weight }) => [name, weight]));
    const rescoring = run.kind === "evaluation" ? await readRescoring(hub, id) : undefined;
    const play = run.kind === "evaluation" ? await readPlay(hub, run, identity) : undefined;
    const repeats = (await repeatsOf(database, [id])).get(id) ?? [];
    const equal = await equalRun(database, id);
    const title = `${recipe.model} on ${recipe.package}`;
    return {
      title,
      heading:
        run.kind === "evaluation" ? (
          <NameLink href={modelPath(recipe.model)}>{recipe.model}</NameLink>
        ) : (
          <span className="name">{recipe.model}</span>
        ),
      width: "wide",
      meta: {
        path: `/run/${id}`,
        description: `${title}@${recipe.version}: mean reward ${score(summary.reward.mean)} of ${summary.counts.total} rollouts.`,
        isIndexed: await isPublic(database, recipe.package),
      },
      children: (
        <RunPage
          {...{
            run,
            weights,
            best: best ?? [],
            worst: worst ?? [],
            metrics,
            rescoring,
            repeats,
            equal,
            play,
            mayRequestPlay: await mayRequestPlay(database, identity, run),
            visitor,
          }}
        />
      ),
    };
  });

  const readRun = async (request: FastifyRequest<RunRoute>, reply: FastifyReply): Promise<Run> => {
    await userOf(hub, request, reply);
    return await requireRun(database, await identify(hub, request), request.params.run);
  };

  app.post<RunRoute>("/run/:run/delete", (request, reply) =>
    handleChange(hub, request, reply, {
      page: `/run/${request.params.run}`,
      async work() {
        const {
          run,
          identity,
          package: package_,
        } = await requireOwnRun(hub, request, request.params.run);
        await requireSecondFactorFor(hub, request, identity, package_);
        await deleteRun(hub, run.id, identity.name);
        return `/package/${package_.name}/evaluations`;
      },
      show: (_visitor, { problem, status }) =>
        Promise.reject(Object.assign(new Error(problem), { statusCode: status })),
    }),
  );

  app.post<RunRoute>("/run/:run/play", (request, reply) =>
    handleChange(hub, request, reply, {
      page: `/run/${request.params.run}`,
      async work() {
        const { run } = request.params;
        await requestPlay(hub, await requireWriter(hub, request), run);
        return `/run/${run}`;
      },
      show: (_visitor, { problem, status }) =>
        Promise.reject(Object.assign(new Error(problem), { statusCode: status })),
    }),
  );

  app.get<RunRoute>("/run/:run/rollouts.csv", async (request, reply) => {
    const run = await readRun(request, reply);
    const { items } = await listRollouts(database, run, { from: 0, limit: 1_000_000 });
    return download(reply, `${run.id}.csv`, "text/csv; charset=utf-8").send(rolloutsCsv(items));
  });

  app.get<RunRoute>("/run/:run/results.jsonl", async (request, reply) => {
    const run = await readRun(request, reply);
    const lines = Readable.from(runLines(hub, run.id), { objectMode: false });
    return download(reply, "results.jsonl", "application/x-ndjson").send(lines);
  });
}

function download(reply: FastifyReply, file: string, type: string): FastifyReply {
  return reply.type(type).header("content-disposition", `attachment; filename="${file}"`);
}

/** Whether everyone may read a package, so that search engines may list the pages of its runs. */
async function isPublic(database: Database, packageName: string): Promise<boolean> {
  const row = await database
    .selectFrom("packages")
    .where("name", "=", packageName)
    .select("access")
    .executeTakeFirst();
  return row?.access === "public";
}

import type { Run } from "@envs/hub-client";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ReactNode } from "react";
import * as z from "zod";

import { compareRuns, type Comparison } from "../../evaluations/compare/example-means.ts";
import { requireRun } from "../../evaluations/runs/read-runs.ts";
import { identify } from "../../identity/request/identity.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { publicPage } from "../layout/public-page.ts";
import { ComparedRuns } from "./compared-runs.tsx";
import { PairedExamples } from "./paired-examples.tsx";
import { configText } from "./texts.ts";

const maxRuns = 6;
const runIds = z
  .union([z.string(), z.array(z.string())])
  .transform((value) => [...new Set([value].flat())].slice(0, maxRuns))
  .catch([]);

/** Registers the page that compares runs with the first one: `/compare?run=a&run=b`. */
export function comparePage(app: FastifyInstance, hub: Hub): void {
  const { database } = hub;
  publicPage(app, hub, "/compare", async (request) => {
    const runs = await readRuns(request);
    if (runs.length < 2)
      return { title: "Compare runs", width: "text", children: <TooFewRuns runs={runs} /> };
    return {
      title: `Compare ${runs.map(({ recipe }) => recipe.model).join(" and ")}`,
      heading: "Compare runs",
      width: "wide",
      children: <Comparisons runs={runs} comparisons={await compareRuns(database, runs)} />,
    };
  });

  async function readRuns(request: FastifyRequest): Promise<readonly Run[]> {
    const ids = runIds.parse((request.query as { readonly run?: unknown }).run);
    const identity = await identify(hub, request);
    return await Promise.all(ids.map((id) => requireRun(database, identity, id)));
  }
}

function TooFewRuns({ runs: [run] }: { readonly runs: readonly Run[] }): ReactNode {
  return (
    <div className="empty">
      <p>Select two runs or more on a leaderboard, then compare them example by example.</p>
      <p>
        {run === undefined ? (
          <a href="/search">Find an environment</a>
        ) : (
          <a href={`/package/${run.recipe.package}/evaluations`}>
            Leaderboard of {run.recipe.package}
          </a>
        )}
      </p>
    </div>
  );
}

function Comparisons({
  runs,
  comparisons,
}: {
  readonly runs: readonly Run[];
  readonly comparisons: readonly Comparison[];
}): ReactNode {
  const [baseline] = runs;
  if (baseline === undefined) return null;
  return (
    <>
      <p className="lead">
        The first run is the baseline. Differences are paired: the same example in both runs.
      </p>
      <Differences runs={runs} />
      <ComparedRuns baseline={baseline} comparisons={comparisons} />
      {comparisons.map((comparison) => (
        <PairedExamples key={comparison.run.id} {...{ baseline, comparison }} />
      ))}
    </>
  );
}

/** A warning about runs that measured different things. */
function Differences({ runs }: { readonly runs: readonly Run[] }): ReactNode {
  const fields: readonly (readonly [string, (run: Run) => string])[] = [
    ["environment", ({ recipe }) => `${recipe.package}@${recipe.version}`],
    ["config", ({ recipe }) => configText(recipe.config)],
    ["sampling", ({ recipe }) => JSON.stringify(recipe.sampling)],
    // The hub chooses the seeds of declared runs, and a new one after some time.
    ["seed", ({ recipe }) => (recipe.declaration === null ? String(recipe.seed) : "declared")],
    ["core", ({ recipe }) => recipe.coreVersion],
  ];
  const different = fields.flatMap(([name, valueOf]) => {
    const values = new Set(runs.map(valueOf));
    return values.size > 1 ? [{ name, values: [...values] }] : [];
  });
  if (different.length === 0) return null;
  return (
    <div className="notice">
      <p>These runs differ in more than their model:</p>
      <ul>
        {different.map(({ name, values }) => (
          <li key={name}>
            {name}: {values.join(" / ")}
          </li>
        ))}
      </ul>
    </div>
  );
}

import type { PackageSummary } from "@envs/hub-client";
import { counted, dayOf } from "@envs/web";
import { PackageLine } from "@envs/web/package-list";
import type { FastifyInstance } from "fastify";
import type { ReactElement, ReactNode } from "react";

import { statistics } from "../../api/statistics.ts";
import { recentActivity, type RecentActivity } from "../../evaluations/models/moved-boards.ts";
import { identify, type Identity } from "../../identity/request/identity.ts";
import type { Database } from "../../platform/database/tables.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { findPackages } from "../../search/find-packages.ts";
import type { SearchSort } from "../../search/search-query.ts";
import { summariesOf } from "../../search/summaries.ts";
import { publicPage } from "../layout/public-page.ts";
import { FirstSteps, GetStarted } from "./get-started.tsx";
import { Hero } from "./hero.tsx";
import { ModelLine, MovedBoards } from "./moved-boards.tsx";

const title = "Reinforcement-learning environments for language models";
const description =
  "Find an environment, install it with npm, evaluate a model in it, and train on it.";

/** Serves the home page: what the hub is, search, leaderboards that moved, environments and models. */
export function homeRoutes(app: FastifyInstance, hub: Hub): void {
  publicPage(app, hub, "/", async (request) => {
    const identity = await identify(hub, request);
    const { recent, installed, activity } = await highlightsOf(hub.database, identity);
    const origin = request.publicOrigin;
    return {
      title: `envs hub: ${title.toLowerCase()}`,
      heading: null,
      width: "wide",
      hasSearch: true,
      meta: {
        path: "/",
        description: `${title}. ${description}`,
        feed: { path: "/feed.atom", title: "New versions" },
        jsonLd: jsonLdOf(origin),
      },
      children: (
        <>
          <Hero {...{ title, description, statistics: await statistics(hub) }} />
          {recent.length === 0 ? (
            <FirstSteps origin={origin} />
          ) : (
            <>
              <MovedBoards boards={activity.boards} />
              <div className="columns">
                <Column
                  title="New environments"
                  path="/search?sort=recent"
                  items={recent.map((item) => (
                    <PackageLine key={item.name} item={item} fact={publishedOn(item)} />
                  ))}
                />
                <Column
                  title="Most installed"
                  path="/search?sort=downloads"
                  items={installed.map((item) => (
                    <PackageLine
                      key={item.name}
                      item={item}
                      fact={counted(item.downloads, "download")}
                    />
                  ))}
                >
                  No installation yet. Install an environment with <code>envs install</code>.
                </Column>
                <Column
                  title="Models"
                  path="/models"
                  items={activity.models.map((run) => (
                    <ModelLine key={run.model} run={run} />
                  ))}
                >
                  No model yet. Evaluate one with <code>envs eval</code>.
                </Column>
              </div>
              <GetStarted origin={origin} />
            </>
          )}
        </>
      ),
    };
  });
}

function Column({
  title,
  path,
  items,
  children,
}: {
  readonly title: string;
  readonly path: string;
  readonly items: readonly ReactElement[];
  /** Instructions for an empty list. */
  readonly children?: ReactNode;
}): ReactNode {
  return (
    <section>
      <h2>
        {title}
        {items.length > 0 && (
          <a href={path} aria-label={`All: ${title.toLowerCase()}`}>
            All
          </a>
        )}
      </h2>
      {items.length === 0 ? (
        <p className="quiet">{children}</p>
      ) : (
        <ol>
          {items.map((item) => (
            <li key={item.key}>{item}</li>
          ))}
        </ol>
      )}
    </section>
  );
}

function publishedOn({ version, publishedAt }: PackageSummary): string {
  return `${version}, ${dayOf(publishedAt)}`;
}

function jsonLdOf(origin: string): Readonly<Record<string, unknown>> {
  return {
    "@type": "WebSite",
    name: "envs hub",
    url: `${origin}/`,
    potentialAction: {
      "@type": "SearchAction",
      target: { "@type": "EntryPoint", urlTemplate: `${origin}/search?q={words}` },
      "query-input": "required name=words",
    },
  };
}

const limit = 6;

/** What the home page shows of what the caller may read. */
interface Highlights {
  readonly recent: readonly PackageSummary[];
  readonly installed: readonly PackageSummary[];
  readonly activity: RecentActivity;
}

async function highlightsOf(
  database: Database,
  identity: Identity | undefined,
): Promise<Highlights> {
  const first = async (sort: SearchSort): Promise<readonly PackageSummary[]> => {
    const traits = { environment: true, deprecated: false, archived: false };
    const query = { identity, text: "", traits, sort, offset: 0, limit, countTotal: false };
    const { ids } = await findPackages(database, query);
    return await summariesOf(database, ids);
  };
  const installed = await first("downloads");
  return {
    recent: await first("recent"),
    installed: installed.filter(({ downloads }) => downloads > 0),
    activity: await recentActivity(database, identity, limit),
  };
}

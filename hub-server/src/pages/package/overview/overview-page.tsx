import { configFields, readState } from "@envs/web/config-form";
import type { FastifyInstance } from "fastify";
import type { ReactNode } from "react";

import type { Hub } from "../../../platform/hub/hub.ts";
import { cardPath } from "../card/card-route.ts";
import { kindOf } from "../package-kind.ts";
import { packagePage, packageTab } from "../package-page.tsx";
import { type PackageView, packageView, versionPath } from "../package-view.ts";
import type { Renderer } from "../render/renderer.ts";
import { Config } from "./config.tsx";
import { Conversation } from "./conversation.tsx";
import { Evaluations, evaluationsOf, type EvaluationSummary } from "./evaluations.tsx";
import { packageJsonLd } from "./json-ld.ts";
import { ModelUse, trainingsOf } from "./model-use.tsx";
import { readmeOf } from "./readme-of.ts";
import { Contents, Readme } from "./readme.tsx";
import { Scores } from "./scores.tsx";
import { Sidebar } from "./sidebar.tsx";
import { suiteMembers, SuiteMembers } from "./suite-members.tsx";
import { Tools } from "./tools.tsx";
import { Trainers } from "./trainers.tsx";

/** Registers the main page of a package, for the latest version and for each other one. */
export function overviewPage(app: FastifyInstance, hub: Hub, renderer: Renderer): void {
  for (const after of ["", "/v/:version"])
    packageTab(app, hub, {
      after,
      async content(name, visit) {
        const { version } = visit.request.params as { readonly version?: string };
        const view = await packageView(hub, visit, { name, version });
        const readme = await readmeOf(renderer, view);
        const kind = kindOf(view.version);
        const parts = {
          evaluations: kind === "environment" ? await evaluationsOf(hub, view) : undefined,
          trainings: kind === "model" ? await trainingsOf(hub, view) : undefined,
          members: kind === "suite" ? await suiteMembers(hub, view) : undefined,
        };
        return packagePage(view, {
          tab: "overview",
          meta: {
            path: view.isPinned ? versionPath(name, view.version.version) : view.path,
            description: descriptionOf(view),
            feed: { path: `${view.path}/feed.atom`, title: `Versions of ${name}` },
            image: { path: cardPath(name), alt: `${name} and its scores` },
            jsonLd: packageJsonLd(view),
            // Old versions would compete with the latest one in results of search engines.
            isIndexed: !view.isPinned,
          },
          children: <Overview {...{ view, readme, parts }} url={visit.request.url} />,
        });
      },
    });
}

function descriptionOf({ version: { environment, description } }: PackageView): string {
  return environment?.description ?? description;
}

function Overview({
  view,
  readme,
  parts: { evaluations, trainings, members },
  url,
}: {
  readonly view: PackageView;
  readonly readme: string | undefined;
  readonly parts: {
    readonly evaluations: EvaluationSummary | undefined;
    readonly trainings: Awaited<ReturnType<typeof trainingsOf>> | undefined;
    readonly members: Awaited<ReturnType<typeof suiteMembers>> | undefined;
  };
  readonly url: string;
}): ReactNode {
  const { version, origin, path, detail } = view;
  const { environment } = version;
  const parameters = new URLSearchParams(url.split("?")[1] ?? "");
  const [best] = environment?.policies ?? [];
  const defaultModel = best === undefined ? "" : `policy:${best}`;
  const fields = environment === null ? [] : configFields(environment.config);
  return (
    <div className="package-columns">
      <div className="package-main">
        {environment !== null && (
          <>
            <Contents hasTools={environment.kind === "tools"} />
            <Conversation example={environment.example} />
          </>
        )}
        <Readme html={readme} view={view} />
        {environment !== null && (
          <>
            <Config
              form={{
                environment: detail.name,
                url: `${origin}${view.isPinned ? versionPath(detail.name, version.version) : path}`,
                fields,
                initial: readState(fields, parameters, defaultModel),
                defaultModel,
                models: environment.policies.map((policy) => `policy:${policy}`),
              }}
            />
            <Scores scores={environment.scores} />
            <Tools manifest={environment} />
            <Trainers manifest={environment} />
            {evaluations !== undefined && <Evaluations view={view} summary={evaluations} />}
          </>
        )}
        {trainings !== undefined && <ModelUse name={detail.name} trainings={trainings} />}
        {members !== undefined && <SuiteMembers name={detail.name} members={members} />}
      </div>
      <Sidebar view={view} />
    </div>
  );
}

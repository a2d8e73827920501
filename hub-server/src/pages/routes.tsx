import cookie from "@fastify/cookie";
import formbody from "@fastify/formbody";
import type { FastifyInstance } from "fastify";

import { guardPages } from "../platform/http/security-headers.ts";
import type { Hub } from "../platform/hub/hub.ts";
import { accountPages } from "./account/routes.ts";
import { handlePageErrors } from "./errors/handle-errors.ts";
import { comparePage } from "./evaluation/compare-routes.tsx";
import { leaderboardPages } from "./evaluation/leaderboard-routes.tsx";
import { runPages } from "./evaluation/run-routes.tsx";
import { feedRoutes } from "./feeds/routes.ts";
import { homeRoutes } from "./home/home.tsx";
import { assetRoutes } from "./layout/assets.ts";
import { modelPages } from "./models/routes.tsx";
import { moderationPages } from "./moderation/routes.ts";
import { statusPage } from "./operations/status.tsx";
import { organisationPages } from "./organisation/routes.ts";
import { packageSettings } from "./package-settings/routes.ts";
import { advisoryPage } from "./package/advisory.tsx";
import { renderInBackground } from "./package/render/render-versions.ts";
import { makeRenderer } from "./package/render/renderer.ts";
import { storedRenderings } from "./package/render/stored-renderings.ts";
import { packagePages } from "./package/routes.tsx";
import { playPages, sandboxRoute } from "./play/routes.tsx";
import { referencePage } from "./reference/routes.tsx";
import { rolloutViewer, viewerAssetRoutes } from "./rollout-viewer/routes.ts";
import { searchPage } from "./search/routes.tsx";

const bodyLimit = 16 * 1024;

/** Registers the pages. Cookies and HTML forms are parsed only here, so API routes never receive them. */
export async function pageRoutes(app: FastifyInstance, hub: Hub): Promise<void> {
  assetRoutes(app);
  await viewerAssetRoutes(app);
  sandboxRoute(app);
  await app.register(async (pages) => {
    pages.addHook("onRoute", (route) => {
      route.bodyLimit ??= bodyLimit;
    });
    await pages.register(cookie);
    await pages.register(formbody);
    await guardPages(pages, hub.settings);
    handlePageErrors(pages, hub);
    const renderer = makeRenderer(storedRenderings(hub), (error, key) =>
      hub.log.warn({ err: error, key: key.slice(0, 300) }, "cannot render a file of a package"),
    );
    renderInBackground(pages, { hub, renderer });
    accountPages(pages, hub, renderer);
    advisoryPage(pages, hub);
    comparePage(pages, hub);
    feedRoutes(pages, hub);
    homeRoutes(pages, hub);
    leaderboardPages(pages, hub);
    runPages(pages, hub);
    modelPages(pages, hub);
    moderationPages(pages, hub);
    organisationPages(pages, hub);
    packageSettings(pages, hub);
    rolloutViewer(pages, hub);
    packagePages(pages, hub, renderer);
    playPages(pages, hub);
    referencePage(pages, hub);
    searchPage(pages, hub);
    statusPage(pages, hub);
  });
}

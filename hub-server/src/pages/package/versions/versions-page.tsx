import { type ManifestChange, manifestChanges } from "@envs/hub-client";
import type { FastifyInstance } from "fastify";
import type { ReactNode } from "react";

import { manifestsOf } from "../../../api/compare-versions.ts";
import { versionsOf, type VersionSummary } from "../../../api/package-versions.ts";
import type { Hub } from "../../../platform/hub/hub.ts";
import {
  downloadsByDay,
  downloadsByVersion,
  everyDay,
  lastDays,
} from "../../../registry/downloads/read.ts";
import { DateTime } from "../../layout/elements.tsx";
import { DownloadsPlot } from "../downloads-plot.tsx";
import { packagePage, packageTab } from "../package-page.tsx";
import { bytesText, type PackageView, packageView, versionPath } from "../package-view.ts";
import { pageOf, Pages } from "../pages.tsx";
import { Changes } from "./changes.tsx";
import { ComparisonForm } from "./comparison-form.tsx";

const perPage = 20;
const plottedDays = 90;

/** A version with its differences from the version before it. */
interface ListedVersion {
  readonly summary: VersionSummary;
  /** The next lower version. */
  readonly previous: string | undefined;
  readonly changes: readonly ManifestChange[];
  readonly downloads: number;
}

/** Registers the list of a package's versions, with the changes between neighbours and the downloads over time. */
export function versionsPage(app: FastifyInstance, hub: Hub): void {
  packageTab(app, hub, {
    after: "/versions",
    async content(name, visit) {
      const view = await packageView(hub, visit, { name });
      const page = pageOf(visit.request);
      const versions = await listVersions(hub, view, page);
      const period = lastDays(plottedDays, view.now);
      const counts = await downloadsByDay(hub.database, view.package.id, period);
      return packagePage(view, {
        tab: "versions",
        title: "Versions",
        meta: { path: `${view.path}/versions`, description: `All versions of ${name}` },
        children: (
          <div className="section">
            <h2>Downloads in {plottedDays} days</h2>
            <DownloadsPlot days={everyDay(period, counts)} />
            <h2>Versions</h2>
            {view.detail.versions.length > 1 && <ComparisonForm view={view} />}
            <ol className="versions">
              {versions.map((version) => (
                <Version key={version.summary.version} view={view} version={version} />
              ))}
            </ol>
            <Pages
              path={`${view.path}/versions`}
              page={page}
              count={Math.ceil(view.detail.versions.length / perPage)}
            />
          </div>
        ),
      });
    },
  });
}

async function listVersions(
  { database }: Hub,
  { package: { id }, detail, now }: PackageView,
  page: number,
): Promise<readonly ListedVersion[]> {
  const start = (page - 1) * perPage;
  const ids = new Map((await versionsOf(database, id)).map((row) => [row.version, row.id]));
  // Reads one version more than the page shows, to compare its oldest version, too.
  const shown = detail.versions.slice(start, start + perPage + 1);
  const manifests = await manifestsOf(
    database,
    shown.flatMap(({ version }) => ids.get(version) ?? []),
  );
  const manifestOf = (version: string | undefined) => manifests.get(ids.get(version ?? "") ?? -1);
  const downloads = new Map(
    (await downloadsByVersion(database, id, lastDays(plottedDays, now))).map((row) => [
      row.version,
      row.count,
    ]),
  );
  return shown.slice(0, perPage).map((version, index) => {
    const previous = shown[index + 1]?.version;
    const [before, after] = [manifestOf(previous), manifestOf(version.version)];
    return {
      summary: version,
      previous,
      changes: before === undefined || after === undefined ? [] : manifestChanges(before, after),
      downloads: downloads.get(version.version) ?? 0,
    };
  });
}

function Version({
  view: { detail, path },
  version: { summary, previous, changes, downloads },
}: {
  readonly view: PackageView;
  readonly version: ListedVersion;
}): ReactNode {
  const { version } = summary;
  const tags = Object.keys(detail.tags).filter((tag) => detail.tags[tag] === version);
  return (
    <li className="version">
      <div className="version-head">
        <a
          className="name"
          href={version === detail.latest ? path : versionPath(detail.name, version)}
        >
          {version}
        </a>
        {tags.map((tag) => (
          <span key={tag} className="tag accent">
            {tag}
          </span>
        ))}
        {summary.isYanked && <span className="tag danger">yanked</span>}
        {summary.deprecated !== null && <span className="tag warn">deprecated</span>}
        <span className="quiet small facts">
          <DateTime date={new Date(summary.publishedAt)} />
          <span>
            {downloads === 1 ? "1 download" : `${downloads.toLocaleString("en")} downloads`}
          </span>
          <span>{bytesText(summary.unpackedSize)}</span>
          {previous !== undefined && (
            <a href={`${path}/diff/${previous}...${version}`}>
              Code changes<span className="unseen"> from {previous}</span>
            </a>
          )}
        </span>
      </div>
      {summary.deprecated !== null && <p className="small">{summary.deprecated}</p>}
      <Changes changes={changes} />
    </li>
  );
}

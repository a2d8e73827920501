import type { ReactNode } from "react";
import semver from "semver";

import { advisoryUrl } from "../../packages/advisories/advisories.ts";
import { DateTime } from "../layout/elements.tsx";
import { Form } from "../layout/form.tsx";
import { kindText } from "./package-kind.ts";
import { type PackageView, versionPath } from "./package-view.ts";

/** The package's name, the version picker, the star button, and warnings about the version. */
export function PackageHeader({ view }: { readonly view: PackageView }): ReactNode {
  const { detail, version } = view;
  const { environment, description } = version;
  return (
    <div className="package-header">
      <div className="package-title">
        <h1>
          <span className="name">{detail.name}</span>
        </h1>
        <VersionPicker view={view} />
        {detail.access === "restricted" && <span className="tag warn">private</span>}
        {detail.isArchived && <span className="tag warn">archived</span>}
        <StarButton view={view} />
      </div>
      <p className="lead">{environment?.description ?? description}</p>
      <p className="quiet small facts">
        <span>{kindText(version)}</span>
        {version.license !== null && <span>{version.license}</span>}
        <span>
          published <DateTime date={new Date(version.publishedAt)} />
          {version.publishedBy !== null && (
            <>
              {" by "}
              <a href={`/user/${version.publishedBy}`}>{version.publishedBy}</a>
            </>
          )}
        </span>
        {version.attestations.length > 0 && (
          <a href={`${view.path}/security`} className="tag good">
            provenance
          </a>
        )}
      </p>
      <Warnings view={view} />
    </div>
  );
}

/** A menu of links, because it works without scripts. The newest versions; the tab lists all. */
function VersionPicker({ view }: { readonly view: PackageView }): ReactNode {
  const { detail, version, path } = view;
  const shown = detail.versions.filter(({ isYanked }) => !isYanked).slice(0, 12);
  const tagsOf = (number: string): string =>
    Object.keys(detail.tags)
      .filter((tag) => detail.tags[tag] === number)
      .join(", ");
  return (
    <details className="menu version-picker" data-menu>
      <summary>
        <span className="unseen">Version </span>
        {version.version}
      </summary>
      <ul>
        {shown.map(({ version: number }) => (
          <li key={number}>
            <a
              href={number === detail.latest ? path : versionPath(detail.name, number)}
              aria-current={number === version.version ? "true" : undefined}
            >
              {number} <span className="quiet">{tagsOf(number)}</span>
            </a>
          </li>
        ))}
        <li>
          <a href={`${path}/versions`}>All {detail.versions.length} versions</a>
        </li>
      </ul>
    </details>
  );
}

function StarButton({ view }: { readonly view: PackageView }): ReactNode {
  const { detail, isStarred, identity, path } = view;
  const count = <span className="number">{detail.stars.toLocaleString("en")}</span>;
  if (identity === undefined)
    return (
      <a
        className="button second small star"
        href={`/sign-in?next=${encodeURIComponent(path)}`}
        aria-label={`Sign in to star, ${detail.stars} stars`}
      >
        <Star /> Star {count}
      </a>
    );
  return (
    <Form action={`${path}/star`} className="star-form">
      <input type="hidden" name="star" value={isStarred ? "no" : "yes"} />
      <button className="second small star" aria-pressed={isStarred}>
        <Star /> {isStarred ? "Starred" : "Star"} {count}
      </button>
    </Form>
  );
}

function Star(): ReactNode {
  return (
    <svg viewBox="0 0 24 24" className="star-icon" aria-hidden="true">
      <path d="m12 3 2.8 5.7 6.2.9-4.5 4.4 1.1 6.2L12 17.3l-5.6 2.9 1.1-6.2L3 9.6l6.2-.9z" />
    </svg>
  );
}

/** Warnings before the install: the version is yanked, deprecated, or not the latest. */
function Warnings({ view }: { readonly view: PackageView }): ReactNode {
  const { version, detail, path } = view;
  const isOlder = detail.latest !== null && semver.lt(version.version, detail.latest);
  return (
    <>
      {view.advisories.map((advisory) => (
        <p key={advisory.id} className="problem" role="status">
          Advisory, {advisory.severity}:{" "}
          <a href={advisoryUrl(advisory, view.origin)}>{advisory.title}</a>.{" "}
          {advisory.patched_versions === null
            ? "No version fixes it yet."
            : `Fixed in ${advisory.patched_versions}.`}
        </p>
      ))}
      {view.package.restriction !== null && (
        <p className="problem" role="status">
          {view.package.restriction === "quarantined"
            ? "Moderators of this hub have quarantined this package: it can be neither installed nor changed. Only its owners and moderators see this page."
            : "Moderators of this hub have taken this package down. Only moderators see this page."}{" "}
          <a href="/settings/decisions">Decisions</a>
        </p>
      )}
      {version.isYanked && (
        <p className="problem" role="status">
          {version.version} is yanked: new installs do not select it, and lockfiles still resolve
          it.
        </p>
      )}
      {version.deprecated !== null && (
        <p className="problem" role="status">
          {version.version} is deprecated: {version.deprecated}
        </p>
      )}
      {detail.isArchived && (
        <p className="notice" role="status">
          This package is archived. It can be installed, but does not change any longer.
        </p>
      )}
      {isOlder && (
        <p className="notice">
          This is an older version. <a href={path}>See the latest, {detail.latest}</a>, or{" "}
          <a href={`${path}/diff/${version.version}...${detail.latest}`}>the changes since then</a>.
        </p>
      )}
    </>
  );
}

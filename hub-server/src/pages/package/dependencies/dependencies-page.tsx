import type { FastifyInstance } from "fastify";
import type { ReactNode } from "react";

import { dependentsOf, readableIds } from "../../../api/profile.ts";
import type { Hub } from "../../../platform/hub/hub.ts";
import { Entry, NameLink } from "../../layout/elements.tsx";
import { packagePage, packageTab } from "../package-page.tsx";
import { packagePath, type PackageView, packageView } from "../package-view.ts";
import { pageOf, Pages } from "../pages.tsx";

const perPage = 50;
const maxDependencies = 500;

type Dependents = Awaited<ReturnType<typeof dependentsOf>>;

/** Registers the dependencies of a package's latest version, and the packages that depend on it. */
export function dependenciesPage(app: FastifyInstance, hub: Hub): void {
  packageTab(app, hub, {
    after: "/dependents",
    async content(name, visit) {
      const { database } = hub;
      const view = await packageView(hub, visit, { name });
      const { identity, version } = view;
      const page = pageOf(visit.request);
      const dependents = await dependentsOf(database, { name, identity, page, perPage });
      const names = Object.keys({
        ...version.dependencies,
        ...version.peerDependencies,
        ...version.optionalDependencies,
      });
      const known = await readableIds(database, identity, names.slice(0, maxDependencies));
      return packagePage(view, {
        tab: "dependents",
        title: "Dependencies",
        children: (
          <div className="section">
            <Dependencies view={view} known={known} />
            <DependentList view={view} dependents={dependents} />
          </div>
        ),
      });
    },
  });
}

function Dependencies({
  view: { version },
  known,
}: {
  readonly view: PackageView;
  readonly known: ReadonlyMap<string, number>;
}): ReactNode {
  const kinds: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ["Dependencies", version.dependencies],
    ["Peer dependencies", version.peerDependencies],
    ["Optional dependencies", version.optionalDependencies],
  ];
  const used = kinds.filter(([, entries]) => Object.keys(entries).length > 0);
  if (used.length === 0)
    return (
      <>
        <h2>Dependencies</h2>
        <p className="empty">Version {version.version} has no dependencies.</p>
      </>
    );
  return used.map(([title, entries]) => (
    <section key={title}>
      <h2>{title}</h2>
      <ul className="dependencies">
        {Object.entries(entries)
          .slice(0, maxDependencies)
          .map(([name, range]) => (
            <li key={name}>
              {known.has(name) ? (
                <NameLink href={packagePath(name)}>{name}</NameLink>
              ) : (
                <span className="name">{name}</span>
              )}{" "}
              <code className="quiet">{range}</code>
            </li>
          ))}
      </ul>
    </section>
  ));
}

function DependentList({
  view: { detail, path },
  dependents: { items, total, page },
}: {
  readonly view: PackageView;
  readonly dependents: Dependents;
}): ReactNode {
  return (
    <section>
      <h2>Dependents</h2>
      {items.length === 0 ? (
        <p className="empty">No package of this hub depends on {detail.name}.</p>
      ) : (
        <>
          <p className="quiet">
            {total === 1 ? "1 package of this hub depends" : `${total} packages of this hub depend`}{" "}
            on it in their latest versions.
          </p>
          <ul className="list">
            {items.map(({ name, version, description, range, kind }) => (
              <li key={name}>
                <Entry title={name} href={packagePath(name)} isName>
                  {description}
                </Entry>
                <span className="small">{version}</span>
                <code className="quiet small">
                  {kind === "peerDependencies" ? "peer " : ""}
                  {range}
                </code>
              </li>
            ))}
          </ul>
          <Pages path={`${path}/dependents`} page={page} count={Math.ceil(total / perPage)} />
        </>
      )}
    </section>
  );
}

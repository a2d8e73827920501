import type { FastifyInstance } from "fastify";
import type { ReactNode } from "react";

import { accessSettings } from "../../../access/package-access/change-access.ts";
import {
  advisoryUrl,
  findAdvisories,
  type StoredAdvisory,
} from "../../../packages/advisories/advisories.ts";
import { type Provenance, provenanceOf } from "../../../packages/attestations/provenance.ts";
import { listAttestations } from "../../../packages/attestations/routes.ts";
import type { Hub } from "../../../platform/hub/hub.ts";
import { Command, Facts } from "../../layout/elements.tsx";
import { severityTag } from "../advisory.tsx";
import { packagePage, packageTab } from "../package-page.tsx";
import { bytesText, type PackageView, packageView } from "../package-view.ts";
import { ProvenanceFacts } from "./provenance-facts.tsx";

/** Registers what a user can check of a package: advisories, provenance, signatures, integrity and sizes. */
export function securityPage(app: FastifyInstance, hub: Hub): void {
  packageTab(app, hub, {
    after: "/security",
    async content(name, visit) {
      const view = await packageView(hub, visit, { name });
      const { id: packageId } = view.package;
      const advisories = await findAdvisories(hub.database, view.identity, { packageId });
      const bundles = await listAttestations(hub.database, packageId, view.version.version);
      const provenance = bundles.map(({ predicateType, bundle }) =>
        provenanceOf(predicateType, bundle),
      );
      return packagePage(view, {
        tab: "security",
        title: "Security",
        children: <Security {...{ view, advisories, provenance }} />,
      });
    },
  });
}

function Security({
  view,
  advisories,
  provenance,
}: {
  readonly view: PackageView;
  readonly advisories: readonly StoredAdvisory[];
  readonly provenance: readonly Provenance[];
}): ReactNode {
  const { version, package: package_, origin, detail } = view;
  const { requiresSecondFactor } = accessSettings(package_);
  return (
    <div className="section">
      <h2>Advisories</h2>
      <AdvisoryList advisories={advisories} origin={origin} />
      <h2>Provenance of {version.version}</h2>
      <ProvenanceFacts provenance={provenance} />
      <h2>Signatures</h2>
      <p className="quiet">
        The hub signs the name, version and integrity of every version. npm verifies the signatures
        and the provenance of all installed packages:
      </p>
      <Command text="npm audit signatures" />
      <Facts
        facts={[
          ...version.signatures.map(({ keyid }) => ["Key", <code>{keyid}</code>] as const),
          ["Integrity", <code>{version.integrity}</code>],
          ["SHA-1", <code>{version.shasum}</code>],
          [
            "Content hash",
            version.contentHash === null ? undefined : <code>{version.contentHash}</code>,
          ],
          ["Tarball", <Tarball view={view} />],
        ]}
      />
      <h2>Publishing</h2>
      <ul>
        <li>
          {requiresSecondFactor
            ? `Changes of ${detail.name} need a second factor.`
            : `Changes of ${detail.name} need a second factor only of users who have one.`}
        </li>
        <li>
          The <a href="/-/events">event log</a> records every version, tag and maintainer, and each
          entry contains the hash of the one before.
        </li>
      </ul>
    </div>
  );
}

/** Browsers cannot send the token that a private tarball needs. */
function Tarball({ view: { detail, version } }: { readonly view: PackageView }): ReactNode {
  const size = bytesText(version.size);
  return (
    <>
      {detail.access === "public" ? <a href={new URL(version.tarball).pathname}>{size}</a> : size},{" "}
      {bytesText(version.unpackedSize)} unpacked
    </>
  );
}

/** All advisories of a package, also withdrawn ones. */
function AdvisoryList({
  advisories,
  origin,
}: {
  readonly advisories: readonly StoredAdvisory[];
  readonly origin: string;
}): ReactNode {
  if (advisories.length === 0) return <p className="empty">This package has no advisories.</p>;
  return (
    <ul className="list">
      {advisories.map((advisory) => (
        <li key={advisory.id}>
          <span className="what">
            <a href={advisoryUrl(advisory, origin)}>{advisory.title}</a>
            <span className="quiet small">
              affects <code>{advisory.vulnerable_versions}</code>
              {advisory.patched_versions !== null && (
                <>
                  , fixed in <code>{advisory.patched_versions}</code>
                </>
              )}
            </span>
          </span>
          {advisory.withdrawn_at !== null && <span className="tag">withdrawn</span>}
          <span className={severityTag[advisory.severity]}>{advisory.severity}</span>
        </li>
      ))}
    </ul>
  );
}

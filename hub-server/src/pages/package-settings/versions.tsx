import type { ReactNode } from "react";

import type { VersionSummary } from "../../api/package-versions.ts";
import { NameToConfirm, Select, TextArea } from "../layout/choices.tsx";
import { Day, Entry } from "../layout/elements.tsx";
import { Form, PlainField } from "../layout/form.tsx";
import { packagePath } from "../package/package-view.ts";

/** The versions and dist-tags of a package. */
export interface VersionsView {
  /** The package's name. */
  readonly name: string;
  readonly versions: readonly VersionSummary[];
  readonly tags: Readonly<Record<string, string>>;
}

/** The dist-tags and versions of a package, with forms that change them. */
export function Versions(view: VersionsView): ReactNode {
  const { name, versions } = view;
  if (versions.length === 0)
    return (
      <p className="empty">
        {name} has no versions. Publish one with <code>envs publish</code>.
      </p>
    );
  return (
    <>
      <h2>Tags</h2>
      <Tags {...view} />
      <h2>Versions</h2>
      <ul className="list" aria-label="Versions">
        {versions.map((version) => (
          <VersionEntry key={version.version} {...view} {...version} />
        ))}
      </ul>
    </>
  );
}

function Tags({ name, versions, tags }: VersionsView): ReactNode {
  const path = `${packagePath(name)}/settings/versions`;
  return (
    <>
      <ul className="list" aria-label="Tags">
        {Object.entries(tags).map(([tag, version]) => (
          <li key={tag}>
            <div className="what">
              <strong>{tag}</strong> <span className="quiet small">{version}</span>
            </div>
            {tag !== "latest" && (
              <Form action={`${path}/untag`}>
                <input type="hidden" name="tag" value={tag} />
                <button className="danger small" aria-label={`Remove the tag ${tag}`}>
                  Remove
                </button>
              </Form>
            )}
          </li>
        ))}
      </ul>
      <Form action={`${path}/tag`} className="row card">
        <PlainField label="Tag" name="tag" maxLength={100} placeholder="next" />
        <Select
          label="Points to"
          name="version"
          choices={versions
            .filter(({ isYanked }) => !isYanked)
            .map(({ version }) => ({ value: version, label: version }))}
        />
        <button>Set tag</button>
      </Form>
    </>
  );
}

function VersionEntry({
  name,
  version,
  publishedAt,
  publishedBy,
  deprecated,
  isYanked,
}: VersionsView & VersionSummary): ReactNode {
  return (
    <li>
      <Entry title={version} href={`${packagePath(name)}/v/${version}`} isName>
        Published on <Day date={new Date(publishedAt)} />
        {publishedBy !== null && ` by ${publishedBy}`}
      </Entry>
      <ul className="tags">
        {isYanked && <li className="tag warn">yanked</li>}
        {deprecated !== null && <li className="tag danger">deprecated</li>}
      </ul>
      <details className="change">
        <summary aria-label={`Change ${version}`}>Change</summary>
        <ChangeVersion {...{ name, version, deprecated, isYanked }} />
      </details>
    </li>
  );
}

function ChangeVersion({
  name,
  version,
  deprecated,
  isYanked,
}: Pick<VersionsView, "name"> &
  Pick<VersionSummary, "version" | "deprecated" | "isYanked">): ReactNode {
  const path = `${packagePath(name)}/settings/versions`;
  const hidden = <input type="hidden" name="version" value={version} />;
  return (
    <div className="changes">
      <Form action={`${path}/deprecate`}>
        {hidden}
        <TextArea
          label={`Deprecation message of ${version}`}
          name="message"
          id={`message-${version}`}
          rows={2}
          maxLength={1000}
          defaultValue={deprecated ?? ""}
          hint="Clients show it on install. An empty message removes the deprecation."
        />
        <button className="second small" aria-label={`Save message of ${version}`}>
          Save message
        </button>
      </Form>
      <Form action={`${path}/${isYanked ? "unyank" : "yank"}`}>
        {hidden}
        <p>
          {isYanked
            ? "The version is hidden from new installs."
            : "Yanking hides the version from new installs. Projects that use it can still install it."}
        </p>
        <button
          className="second small"
          aria-label={isYanked ? `Restore ${version}` : `Yank ${version}`}
        >
          {isYanked ? "Restore" : "Yank"}
        </button>
      </Form>
      <Form action={`${path}/unpublish`}>
        {hidden}
        <p>Unpublishing removes the version. Its number cannot be used again.</p>
        <NameToConfirm name={version} id={`confirm-${version}`} />
        <button className="danger small" aria-label={`Unpublish ${version}`}>
          Unpublish
        </button>
      </Form>
    </div>
  );
}

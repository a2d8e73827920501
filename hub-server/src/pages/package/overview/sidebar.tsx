import { subModelBudgetText } from "@envs/hub-client";
import type { ReactNode } from "react";

import { lastDays } from "../../../registry/downloads/period.ts";
import { everyDay } from "../../../registry/downloads/period.ts";
import { DownloadsPlot } from "../downloads-plot.tsx";
import type { PackageView } from "../package-view.ts";
import { bytesText } from "../size-text.ts";
import { InstallBox } from "./install-box.tsx";

/** Installation and facts beside the README. */
export function Sidebar({ view }: { readonly view: PackageView }): ReactNode {
  const { detail, version, isPinned, origin, path, now } = view;
  const days = everyDay(lastDays(30, now), detail.downloads.days);
  const { environment } = version;
  return (
    <aside className="package-side" aria-label="About this package">
      <section className="install-section">
        <h2>Install</h2>
        <InstallBox
          name={detail.name}
          version={isPinned ? version.version : undefined}
          origin={origin}
        />
      </section>
      <section>
        <h2>Downloads</h2>
        <DownloadsPlot days={days} />
        <p className="small quiet">
          {detail.downloads.total.toLocaleString("en")} in total,{" "}
          <a href={`${path}/versions`}>by version</a>
        </p>
      </section>
      <section>
        <h2>Facts</h2>
        <dl>
          <dt>Maintainers</dt>
          <dd>
            {detail.maintainers.map((name) => (
              <a key={name} className="maintainer" href={`/user/${name}`}>
                {name}
              </a>
            ))}
          </dd>
          <dt>Owner</dt>
          <dd>
            <a href={`/${detail.owner.kind === "user" ? "user" : "org"}/${detail.owner.name}`}>
              {detail.owner.name}
            </a>
          </dd>
          <Link label="Homepage" url={version.homepage} />
          <Link label="Repository" url={version.repository} />
          <dt>Size</dt>
          <dd>
            {bytesText(version.unpackedSize)} in{" "}
            <a href={`${path}/files/${version.version}`}>
              {version.fileCount === 1 ? "1 file" : `${version.fileCount} files`}
            </a>
          </dd>
          {environment !== null && (
            <>
              <dt>Examples</dt>
              <dd>{environment.splits.map((split) => splitText(split)).join(", ")}</dd>
              <dt>Turns</dt>
              <dd>at most {environment.maxTurns}</dd>
              <Needs environment={environment} />
              <dt>Core</dt>
              <dd>
                <code>@envs/core {environment.core}</code>
              </dd>
              <dt>Runs in</dt>
              <dd>{environment.runtimes.map((name) => runtimes[name]).join(", ")}</dd>
            </>
          )}
        </dl>
      </section>
      <Words view={view} />
    </aside>
  );
}

type Environment = NonNullable<PackageView["version"]["environment"]>;

/** Requirements of a run besides the model that plays. */
function Needs({ environment }: { readonly environment: Environment }): ReactNode {
  const { requires = [], scores, subModel } = environment;
  const needs = [
    ...requires.map(({ kind, name }) => `the ${kind} ${name}`),
    ...(scores.some((score) => score.needs?.includes("judge") === true) ? ["a judge"] : []),
    ...(subModel === undefined ? [] : [`a sub-model: ${subModelBudgetText(subModel)} per rollout`]),
  ];
  if (needs.length === 0) return null;
  return (
    <>
      <dt>Needs</dt>
      <dd>
        {needs.map((need) => (
          <div key={need}>{need}</div>
        ))}
      </dd>
    </>
  );
}

const runtimes = { node: "Node", browser: "browsers" } as const;

function splitText({ name, size }: { readonly name: string | null; readonly size: number | null }) {
  const count = size === null ? "endless" : size.toLocaleString("en");
  return name === null ? count : `${name} ${count}`;
}

function Link({ label, url }: { readonly label: string; readonly url: string | null }): ReactNode {
  if (url === null) return null;
  return (
    <>
      <dt>{label}</dt>
      <dd>
        <a href={url} rel="nofollow noopener">
          {url.replace(/^https?:\/\//, "")}
        </a>
      </dd>
    </>
  );
}

/** The tags of the environment and the keywords of the package; both lead to a search. */
function Words({ view: { version } }: { readonly view: PackageView }): ReactNode {
  const tags = version.environment?.tags ?? [];
  const keywords = version.keywords.filter((word) => !tags.includes(word)).slice(0, 30);
  if (tags.length + keywords.length === 0) return null;
  return (
    <section>
      <h2>Tags</h2>
      <ul className="tags">
        {tags.map((tag) => (
          <li key={tag}>
            <a className="tag accent" href={`/search?tag=${encodeURIComponent(tag)}`}>
              {tag}
            </a>
          </li>
        ))}
        {keywords.map((word) => (
          <li key={word}>
            <a className="tag" href={`/search?q=${encodeURIComponent(word)}`}>
              {word}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

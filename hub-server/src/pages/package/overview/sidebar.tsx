import { subModelBudgetText } from "@envs/hub-client";
import type { ReactNode } from "react";

import { everyDay, lastDays } from "../../../registry/downloads/read.ts";
import { type Fact, Facts } from "../../layout/elements.tsx";
import { ReportLink } from "../../moderation/report.tsx";
import { DownloadsPlot } from "../downloads-plot.tsx";
import { bytesText, type PackageView } from "../package-view.ts";
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
        <Facts facts={[...packageFacts(view), ...environmentFacts(environment)]} />
      </section>
      <Words view={view} />
      <section className="small">
        <ReportLink kind="package" name={detail.name} />
      </section>
    </aside>
  );
}

type Environment = NonNullable<PackageView["version"]["environment"]>;

function packageFacts({ detail, version, path }: PackageView): readonly Fact[] {
  const { name, kind } = detail.owner;
  const maintainers = detail.maintainers.map((maintainer) => (
    <a key={maintainer} className="maintainer" href={`/user/${maintainer}`}>
      {maintainer}
    </a>
  ));
  const files = version.fileCount === 1 ? "1 file" : `${version.fileCount} files`;
  const size = (
    <>
      {bytesText(version.unpackedSize)} in <a href={`${path}/files/${version.version}`}>{files}</a>
    </>
  );
  return [
    ["Maintainers", maintainers],
    ["Owner", <a href={`/${kind === "user" ? "user" : "org"}/${name}`}>{name}</a>],
    ["Homepage", linkTo(version.homepage)],
    ["Repository", linkTo(version.repository)],
    ["Size", size],
  ];
}

function environmentFacts(environment: Environment | null): readonly Fact[] {
  if (environment === null) return [];
  const { splits, maxTurns, core, runtimes } = environment;
  const needs = needsOf(environment).map((need) => <div key={need}>{need}</div>);
  return [
    ["Examples", splits.map((split) => splitText(split)).join(", ")],
    ["Turns", `at most ${maxTurns}`],
    ["Needs", needs.length === 0 ? undefined : needs],
    ["Core", <code>@envs/core {core}</code>],
    ["Runs in", runtimes.map((name) => runtimeNames[name]).join(", ")],
  ];
}

/** Requirements of a run besides the model that plays. */
function needsOf({ requires = [], scores, subModel }: Environment): readonly string[] {
  return [
    ...requires.map(({ kind, name }) => `the ${kind} ${name}`),
    ...(scores.some((score) => score.needs?.includes("judge") === true) ? ["a judge"] : []),
    ...(subModel === undefined ? [] : [`a sub-model: ${subModelBudgetText(subModel)} per rollout`]),
  ];
}

const runtimeNames = { node: "Node", browser: "browsers" } as const;

function splitText({ name, size }: { readonly name: string | null; readonly size: number | null }) {
  const count = size === null ? "endless" : size.toLocaleString("en");
  return name === null ? count : `${name} ${count}`;
}

function linkTo(url: string | null): ReactNode {
  if (url === null) return undefined;
  return (
    <a href={url} rel="nofollow noopener">
      {url.replace(/^https?:\/\//, "")}
    </a>
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

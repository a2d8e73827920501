import type { ReactNode } from "react";

import type { PackageView } from "../package-view.ts";

/** The rendered README; its text if rendering failed; what to do if the version has no README. */
export function Readme({
  html,
  view: { version, isWriter },
}: {
  readonly html: string | undefined;
  readonly view: PackageView;
}): ReactNode {
  if (html !== undefined)
    return (
      <article
        className="readme"
        id="readme"
        aria-label="README"
        dangerouslySetInnerHTML={{ __html: html }}
      />
    );
  if (version.readme.trim() !== "")
    return (
      <pre className="readme-text" id="readme" tabIndex={0} aria-label="README">
        {version.readme}
      </pre>
    );
  return (
    <p className="empty" id="readme">
      {isWriter
        ? "This version has no README. Add a README.md to the package and publish a new version."
        : "This version has no README."}
    </p>
  );
}

const sections = [
  ["#example", "Example"],
  ["#readme", "README"],
  ["#try", "Try it"],
  ["#options", "Options"],
  ["#scores", "Scores"],
  ["#tools", "Tools"],
  ["#train", "Train on it"],
  ["#evaluations", "Evaluations"],
  ["#models", "Models"],
] as const;

/** Links to the sections of an environment's page, which is long. */
export function Contents({ hasTools }: { readonly hasTools: boolean }): ReactNode {
  return (
    <nav className="contents" aria-label="On this page">
      <ul>
        {sections
          .filter(([href]) => href !== "#tools" || hasTools)
          .map(([href, label]) => (
            <li key={href}>
              <a href={href}>{label}</a>
            </li>
          ))}
      </ul>
    </nav>
  );
}

import type { ReactNode } from "react";

import type { Provenance } from "../../../packages/attestations/provenance.ts";
import { type Fact, Facts } from "../../layout/elements.tsx";

/** The machine and the source that a version was built from. */
export function ProvenanceFacts({ provenance }: { provenance: readonly Provenance[] }): ReactNode {
  if (provenance.length === 0)
    return (
      <p className="empty">
        This version has no provenance: its publisher did not sign where it was built. In GitHub
        Actions or GitLab CI, <code>npm publish --provenance</code> does.
      </p>
    );
  return provenance.map(
    ({ predicateType, repository, commit, workflow, build, builder, logIndex }) => (
      <div key={predicateType} className="card">
        <p>
          The hub verified the signature of this statement when the version was published, and that
          package.json names the repository of the build.
        </p>
        <Facts
          facts={[
            fact("Repository", repository, repository),
            fact("Commit", commit, commitUrl(repository, commit)),
            fact("Workflow", workflow),
            fact("Build", build, build),
            fact("Builder", builder),
            fact("Log index", logIndex),
            fact("Statement", predicateType),
          ]}
        />
      </div>
    ),
  );
}

function commitUrl(repository: string | undefined, commit: string | undefined): string | undefined {
  const isOnGitHub = repository?.startsWith("https://github.com/") === true;
  return isOnGitHub && commit !== undefined ? `${repository}/commit/${commit}` : undefined;
}

function fact(label: string, text: string | undefined, url?: string): Fact {
  if (text === undefined) return [label, undefined];
  if (url === undefined) return [label, <code>{text}</code>];
  const link = (
    <a href={url} rel="nofollow noopener">
      {text}
    </a>
  );
  return [label, link];
}

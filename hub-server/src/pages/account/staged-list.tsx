import type { ReactNode } from "react";

import type { StagedVersion } from "../../packages/stage/staged.ts";
import { DateTime, Entry } from "../layout/elements.tsx";

/** The versions that wait for approval. */
export function StagedList({ items }: { readonly items: readonly StagedVersion[] }): ReactNode {
  if (items.length === 0)
    return (
      <div className="empty">
        <p>No version waits for approval.</p>
        <p>
          Run <code>npm stage publish</code> or <code>envs publish --stage</code> to propose a
          version that an owner approves here.
        </p>
      </div>
    );
  return (
    <ul className="list" aria-label="Staged versions">
      {items.map(({ id, name, version, tag, actor, actor_type, created_at }) => (
        <li key={id}>
          <Entry title={`${name}@${version}`} href={`/settings/staged/${id}`} isName>
            Staged by {actor ?? "a deleted user"}
            {actor_type === "trusted-publisher" && ", through a trusted publisher,"} on{" "}
            <DateTime date={created_at} />
          </Entry>
          <span className="tag">{tag}</span>
        </li>
      ))}
    </ul>
  );
}

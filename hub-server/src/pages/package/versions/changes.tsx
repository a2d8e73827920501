import type { ManifestChange } from "@envs/hub-client";
import type { ReactNode } from "react";

const tones: Readonly<Record<ManifestChange["kind"], string>> = {
  added: "tag good",
  removed: "tag danger",
  narrowed: "tag danger",
  widened: "tag good",
  changed: "tag warn",
};

/** Changes of an environment for its users: options, scores, tools, splits. */
export function Changes({ changes }: { readonly changes: readonly ManifestChange[] }): ReactNode {
  if (changes.length === 0) return null;
  return (
    <ul className="manifest-changes">
      {changes.map(({ subject, name, kind, detail }) => (
        <li key={`${subject} ${name} ${kind} ${detail}`}>
          <span className={tones[kind]}>{kind}</span>{" "}
          {subject === "environment" ? "" : `${subject} `}
          <code>{name}</code>
          {detail !== "" && <span className="quiet"> {detail}</span>}
        </li>
      ))}
    </ul>
  );
}

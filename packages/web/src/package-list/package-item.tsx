import type { PackageSummary } from "@envs/hub-client";
import type { ReactNode } from "react";

import { counted, dayOf, kindLabel, packagePath } from "./labels.ts";

const maxTags = 5;

/** A package in a list: name, description, and the facts that help to choose. */
export function PackageItem({ item }: { readonly item: PackageSummary }): ReactNode {
  const { kind, tags, license, evaluations, stars, deprecated, isArchived, access } = item;
  return (
    <article className="package-item">
      <h3>
        <a className="name" href={packagePath(item)}>
          {item.name}
        </a>{" "}
        <span className="quiet small">{item.version}</span>
      </h3>
      <p>{item.description || <span className="quiet">No description.</span>}</p>
      <ul className="tags">
        {access === "restricted" && <li className="tag accent">Private</li>}
        {isArchived && <li className="tag warn">Archived</li>}
        {deprecated !== null && <li className="tag danger">Deprecated</li>}
        {kind !== null && <li className="tag accent">{kindLabel(kind)}</li>}
        {evaluations > 0 && <li className="tag good">{counted(evaluations, "evaluation")}</li>}
        {tags.slice(0, maxTags).map((tag) => (
          <li key={tag}>
            <a className="tag" href={`/search?tag=${encodeURIComponent(tag)}`}>
              {tag}
            </a>
          </li>
        ))}
      </ul>
      <p className="package-facts">
        <a href={`/user/${item.owner}`}>{item.owner}</a>
        <span>{dayOf(item.publishedAt)}</span>
        {item.downloads > 0 && <span>{counted(item.downloads, "download")}</span>}
        {stars > 0 && <span>{counted(stars, "star")}</span>}
        {license !== null && <span>{license}</span>}
      </p>
    </article>
  );
}

/** A package in one line of a short list, with the fact that the list is sorted by. */
export function PackageLine({ item, fact }: { item: PackageSummary; fact: string }): ReactNode {
  return (
    <article className="package-line">
      <h3>
        <a className="name" href={packagePath(item)}>
          {item.name}
        </a>
      </h3>
      <p>{item.description}</p>
      <p className="package-facts">
        {item.kind !== null && <span>{kindLabel(item.kind)}</span>}
        <span>{fact}</span>
      </p>
    </article>
  );
}

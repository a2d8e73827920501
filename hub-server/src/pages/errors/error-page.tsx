import type { PackageSummary } from "@envs/hub-client";
import { PackageLine } from "@envs/web/package-list";
import type { ReactNode } from "react";

import { errorPage as errorDocument } from "../docs/error-page.ts";
import type { PageContent } from "../layout/frame.tsx";

/** An error page: the failure and its reason. */
export interface PageProblem {
  readonly status: number;
  readonly message: string;
  /** The code in the hub's error reference. */
  readonly code?: string | undefined;
}

const titles: Readonly<Record<number, string>> = {
  401: "Sign in to continue",
  403: "Not allowed",
  404: "Not found",
  429: "Too many requests",
  500: "The hub failed",
  503: "The hub is unavailable",
};

/** The content of an error page. The page for a missing address suggests packages with similar names. */
export function errorPage(
  { status, message, code }: PageProblem,
  suggestions: readonly PackageSummary[],
): PageContent {
  return {
    title: titles[status] ?? "Request failed",
    status,
    width: "text",
    children: (
      <>
        <p className="lead">{message}</p>
        {code !== undefined && (
          <p>
            <a href={errorDocument(code)}>Why this happens, and what to do</a>
          </p>
        )}
        {suggestions.length > 0 && <Suggestions items={suggestions} />}
        <p>
          <a href="/search">Search environments</a> · <a href="/docs">Read the docs</a> ·{" "}
          <a href="/status">See the status of this hub</a>
        </p>
      </>
    ),
  };
}

function Suggestions({ items }: { readonly items: readonly PackageSummary[] }): ReactNode {
  return (
    <section>
      <h2>Did you mean</h2>
      <ul className="package-list">
        {items.map((item) => (
          <li key={item.name}>
            <PackageLine item={item} fact={item.version} />
          </li>
        ))}
      </ul>
    </section>
  );
}

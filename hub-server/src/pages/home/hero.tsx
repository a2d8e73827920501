import type { RouteOutput, routes } from "@envs/hub-client";
import { counted } from "@envs/web";
import type { ReactNode } from "react";

/** One sentence about the hub, the search box, and the counts of packages and runs. */
export function Hero({
  title,
  description,
  statistics: { environments, packages, versions },
}: {
  readonly title: string;
  readonly description: string;
  readonly statistics: RouteOutput<typeof routes.readStatistics>;
}): ReactNode {
  return (
    <section className="hero">
      <h1>{title}</h1>
      <p className="lead">{description}</p>
      <form className="hero-search" action="/search" role="search">
        <label htmlFor="home-search" className="unseen">
          Search environments
        </label>
        <input
          id="home-search"
          name="q"
          type="search"
          placeholder="games, math, tools"
          autoComplete="off"
          aria-keyshortcuts="/"
        />
        <button>Search</button>
      </form>
      <p className="hero-facts">
        <a href="/search">{counted(environments, "environment")}</a>
        <a href="/search?all=true">{counted(packages, "public package")}</a>
        <span>{counted(versions, "version")}</span>
        <span>
          Press <kbd>/</kbd> to search
        </span>
      </p>
    </section>
  );
}

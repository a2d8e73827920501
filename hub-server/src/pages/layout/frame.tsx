import { type ReactNode, useContext } from "react";

import { Form, VisitorContext } from "./form.tsx";
import type { PageMeta } from "./head.tsx";

/** The content of a page. */
export interface PageContent {
  /** The title, and the heading unless there is another. */
  readonly title: string;
  /** Default: the title. With `null`, the children contain the heading. */
  readonly heading?: ReactNode;
  readonly children: ReactNode;
  /** Precedes the main content. */
  readonly navigation?: ReactNode;
  /** Default: 200. */
  readonly status?: number | undefined;
  /** `narrow` for forms, `text` for lists and prose, `wide` for columns. Default: `narrow`. */
  readonly width?: "narrow" | "text" | "wide";
  /** The description for search engines and other sites. Without it, search engines do not index the page. */
  readonly meta?: PageMeta | undefined;
  /** Whether the page contains its own search box, which replaces the one of the header. */
  readonly hasSearch?: boolean;
}

/** The body of a page: header, content, footer. */
export function Frame({
  title,
  heading = title,
  navigation,
  children,
  width = "narrow",
  hasSearch = false,
}: Omit<PageContent, "meta" | "status">): ReactNode {
  return (
    <body>
      <a className="skip" href="#content">
        Skip to content
      </a>
      <header className="site-header">
        <div className="site-bar">
          <a className="brand" href="/">
            envs<span className="brand-mark"> hub</span>
          </a>
          {!hasSearch && <SearchBox />}
          <nav className="site-links" aria-label="Site">
            <a href="/search">Environments</a>
            <a href="/models">Models</a>
            <a href="/docs">Docs</a>
          </nav>
          <UserMenu />
        </div>
      </header>
      {navigation}
      <main id="content" className={width}>
        {heading !== null && <h1>{heading}</h1>}
        {children}
      </main>
      <footer className="site-footer">
        <nav aria-label="Footer">
          <a href="/docs">Docs</a>
          <a href="/api/reference">API reference</a>
          <a href="/status">Status</a>
          <a href="/feed.atom">Feed of new versions</a>
        </nav>
      </footer>
    </body>
  );
}

function SearchBox(): ReactNode {
  return (
    <form className="site-search" action="/search" role="search">
      <label htmlFor="site-search" className="unseen">
        Search environments
      </label>
      <input
        id="site-search"
        name="q"
        type="search"
        placeholder="Search environments"
        autoComplete="off"
        aria-keyshortcuts="/"
      />
      <kbd aria-hidden="true">/</kbd>
    </form>
  );
}

function UserMenu(): ReactNode {
  const visitor = useContext(VisitorContext);
  const user = visitor?.session?.waitsForCode === false ? visitor.session.user : undefined;
  if (user === undefined)
    return (
      <a className="sign-in" href="/sign-in">
        Sign in
      </a>
    );
  return (
    <details className="menu" data-menu>
      <summary>{user.name}</summary>
      <ul>
        <li>
          <a href={`/user/${user.name}`}>Profile</a>
        </li>
        <li>
          <a href="/settings">Settings</a>
        </li>
        <li>
          <Form action="/sign-out">
            <button className="link">Sign out</button>
          </Form>
        </li>
      </ul>
    </details>
  );
}

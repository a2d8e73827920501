import type { ReactNode } from "react";
import { renderToStaticMarkup, renderToString } from "react-dom/server";

import { readAssets } from "../assets/read-assets.ts";
import { type PlayerProps, playerIsland } from "../player/island.tsx";
import type { PageResponse } from "./sandbox-page.ts";

export { type PageResponse, sandboxPage } from "./sandbox-page.ts";

/** A page of a program on this machine on which a person plays. The hub has its own frame of pages. */
export interface PlayerPage {
  readonly title: string;
  readonly description?: string | undefined;
  /** Other environments of the server, by path. */
  readonly links: readonly { readonly name: string; readonly path: string }[];
  readonly props: PlayerProps;
  /** The URL path of this package's files, without a final slash. */
  readonly assetPrefix: string;
}

/** Renders the page of a player, and the headers that its policy needs. */
export function playerPage({ assetPrefix, props, ...page }: PlayerPage): PageResponse {
  const { name, component: Player } = playerIsland;
  const assets = readAssets();
  const files = assets.script(name).map((file) => `${assetPrefix}/${file}`);
  const html = renderToString(<Player {...props} />, { identifierPrefix: `${name}-` });
  const document = renderToStaticMarkup(
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`Play ${page.title}`}</title>
        <link rel="icon" href={`${assetPrefix}/icon.svg`} type="image/svg+xml" />
        <link rel="stylesheet" href={`${assetPrefix}/${assets.style}`} />
        {files.map((file, index) =>
          index === files.length - 1 ? (
            <script key={file} type="module" src={file} />
          ) : (
            <link key={file} rel="modulepreload" href={file} />
          ),
        )}
      </head>
      <body>
        <LocalHeader {...page} />
        <main className="wide">
          <h1>Play {page.title}</h1>
          {page.description !== undefined && <p className="lead">{page.description}</p>}
          <div
            data-island={name}
            data-props={JSON.stringify(props)}
            dangerouslySetInnerHTML={{ __html: html }}
          />
        </main>
      </body>
    </html>,
  );
  return { html: `<!doctype html>${document}`, headers: pageHeaders };
}

function LocalHeader({ links, title }: Pick<PlayerPage, "links" | "title">): ReactNode {
  return (
    <header className="site-header">
      <div className="site-bar">
        <span className="brand">envs</span>
        <nav className="site-links" aria-label="Environments">
          {links.map(({ name, path }) => (
            <a key={path} href={path} aria-current={name === title ? "page" : undefined}>
              {name}
            </a>
          ))}
        </nav>
      </div>
    </header>
  );
}

const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self'",
    "frame-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
} as const;

import type { ReactNode } from "react";

import { assetPath, iconPath, scriptsOf, stylePath } from "./assets.ts";

const siteName = "envs hub";

/** The head of a page: title, description, feeds, and the files that the browser loads. */
export function Head({
  title,
  meta,
  origin,
  islands,
}: {
  readonly title: string;
  readonly meta: PageMeta | undefined;
  readonly origin: string;
  readonly islands: ReadonlySet<string>;
}): ReactNode {
  const { starts, preloads } = scriptsOf(islands);
  return (
    <head>
      <meta charSet="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      {(meta === undefined || meta.isIndexed === false) && <meta name="robots" content="noindex" />}
      <title>{meta?.path === "/" ? title : `${title} · ${siteName}`}</title>
      <link rel="stylesheet" href={stylePath} />
      <link rel="icon" href={iconPath} type="image/svg+xml" />
      {preloads.map((file) => (
        <link key={file} rel="modulepreload" href={assetPath(file)} />
      ))}
      {starts.map((file) => (
        <script key={file} type="module" src={assetPath(file)} />
      ))}
      {meta !== undefined && <Description {...{ title, meta, origin }} />}
    </head>
  );
}

function Description({
  title,
  meta: { description, path, image, feed, jsonLd },
  origin,
}: {
  readonly title: string;
  readonly meta: PageMeta;
  readonly origin: string;
}): ReactNode {
  return (
    <>
      {description !== undefined && <meta name="description" content={description} />}
      <link rel="canonical" href={`${origin}${path}`} />
      <meta property="og:type" content="website" />
      <meta property="og:site_name" content={siteName} />
      <meta property="og:title" content={title} />
      <meta property="og:url" content={`${origin}${path}`} />
      {description !== undefined && <meta property="og:description" content={description} />}
      {image !== undefined && (
        <>
          <meta property="og:image" content={`${origin}${image.path}`} />
          <meta property="og:image:alt" content={image.alt} />
          <meta property="og:image:width" content="1200" />
          <meta property="og:image:height" content="630" />
          <meta name="twitter:card" content="summary_large_image" />
        </>
      )}
      {feed !== undefined && (
        <link rel="alternate" type="application/atom+xml" title={feed.title} href={feed.path} />
      )}
      {jsonLd !== undefined && (
        <script
          type="application/ld+json"
          dangerouslySetInnerHTML={{
            __html: scriptText({ "@context": "https://schema.org", ...jsonLd }),
          }}
        />
      )}
    </>
  );
}

/** JSON that cannot end the script element that contains it. */
function scriptText(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", String.raw`\u003c`);
}

/** The description of a page for search engines, feed readers and sites that link to it. Paths are relative to the hub. */
export interface PageMeta {
  /** One or two sentences for results of search engines. */
  readonly description?: string | undefined;
  /** The canonical path of the page, without parameters that do not change its content. */
  readonly path: string;
  /** A picture of 1200 × 630 pixels. */
  readonly image?: { readonly path: string; readonly alt: string } | undefined;
  /** The Atom feed of the page's subject. */
  readonly feed?: { readonly path: string; readonly title: string } | undefined;
  /** The subject of the page in the vocabulary of schema.org. */
  readonly jsonLd?: Readonly<Record<string, unknown>> | undefined;
  /** Whether search engines may list the page. Default: true. */
  readonly isIndexed?: boolean | undefined;
}

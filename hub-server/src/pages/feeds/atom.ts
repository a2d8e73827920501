import { Feed } from "feed";

import type { NewVersion } from "./new-versions.ts";

/** XML forbids these characters, also escaped. */
const forbidden = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

/** An Atom feed of versions (RFC 4287). Readers follow its links to the pages of the versions. */
export function atomFeed(
  versions: readonly NewVersion[],
  {
    title,
    origin,
    path,
    pagePath,
  }: {
    readonly title: string;
    readonly origin: string;
    /** The path of the feed. */
    readonly path: string;
    /** The path of the HTML page with the same versions. */
    readonly pagePath: string;
  },
): string {
  const feed = new Feed({
    id: `${origin}${path}`,
    title,
    link: `${origin}${pagePath}`,
    feedLinks: { atom: `${origin}${path}` },
    // A feed without entries has the earliest time as its change.
    updated: versions[0]?.publishedAt ?? new Date(0),
    generator: "envs hub",
    copyright: "",
  });
  for (const { name, version, publishedAt, owner, description } of versions) {
    const link = `${origin}/package/${name}/v/${encodeURIComponent(version)}`;
    feed.addItem({
      id: link,
      link,
      title: `${name} ${version}`,
      date: publishedAt,
      author: [{ name: owner }],
      // The feed declares it as HTML, which readers render.
      description: escapedHtml(description.replaceAll(forbidden, " ")),
    });
  }
  return feed.atom1();
}

function escapedHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

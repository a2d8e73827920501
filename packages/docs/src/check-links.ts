import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { Parser } from "htmlparser2";

/** A link, and the page or the source file that contains it. */
export interface Link {
  readonly page: string;
  readonly target: string;
}

/** A link that leads nowhere. */
export interface BrokenLink extends Link {
  readonly problem: string;
}

interface Page {
  readonly anchors: ReadonlySet<string>;
  readonly links: readonly string[];
}

const base = "/docs/";

/**
 * Finds the links whose page, file or heading does not exist: those of a built site, and others to it, such as those of the
 * hub's pages. Links to other sites are not checked.
 */
export function brokenLinks(site: string, others: readonly Link[] = []): readonly BrokenLink[] {
  const pages = readPages(site);
  const own = [...pages].flatMap(([page, { links }]) => links.map((target) => ({ page, target })));
  return [...own, ...others].flatMap((link) => {
    const problem = problemOf(new URL(link.target, `http://site/${link.page.replace(/^\//, "")}`));
    return problem === undefined ? [] : [{ ...link, problem }];
  });

  function problemOf({ host, pathname, hash }: URL): string | undefined {
    // Skips other paths of the host, which belong to the hub.
    if (host !== "site" || !`${pathname}/`.startsWith(base)) return undefined;
    const path = decodeURIComponent(pathname);
    const page = pages.get(path) ?? pages.get(`${path}/`);
    if (page === undefined)
      return existsSync(join(site, path.slice(base.length))) ? undefined : "no such page";
    const anchor = decodeURIComponent(hash.slice(1));
    return anchor === "" || page.anchors.has(anchor) ? undefined : "no such heading";
  }
}

/** Finds the pages of a built site that no other page links to: readers cannot find them. */
export function unlistedPages(site: string): readonly string[] {
  const pages = readPages(site);
  const targets = [...pages].flatMap(([page, { links }]) =>
    links
      .map((target) => new URL(target, `http://site${page}`).pathname)
      .filter((target) => target !== page),
  );
  const listed = new Set([base, `${base}404`, `${base}sandbox`, `${base}play/sandbox`, ...targets]);
  return [...pages.keys()].filter((page) => !listed.has(page));
}

function readPages(site: string): ReadonlyMap<string, Page> {
  return new Map(
    globSync("**/*.html", { cwd: site }).map((path) => [
      addressOf(path),
      readPage(readFileSync(join(site, path), "utf8")),
    ]),
  );
}

function addressOf(path: string): string {
  return base + path.replace(/(?:^|(?<=\/))index\.html$|\.html$/, "");
}

function readPage(html: string): Page {
  const anchors = new Set<string>();
  const links: string[] = [];
  const parser = new Parser({
    onopentag(name, { id, href, src }) {
      if (id !== undefined) anchors.add(id);
      if (name === "a" && href !== undefined) links.push(href);
      if (src !== undefined) links.push(src);
    },
  });
  parser.end(html);
  return { anchors, links };
}

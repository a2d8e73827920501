import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import type { DefaultTheme } from "vitepress";

import { pagesFolder } from "../src/folders.ts";
import { modules } from "../src/modules.ts";

type Item = DefaultTheme.SidebarItem;

export const navigation: DefaultTheme.NavItem[] = [
  { text: "Guides", link: "/guides/", activeMatch: "^/(?:guides|experiments)/" },
  { text: "Concepts", link: "/concepts/", activeMatch: "^/(?:concepts/|glossary)" },
  {
    text: "Reference",
    link: "/reference/command-line",
    activeMatch:
      "^/(?:reference|api|packages|environments|examples)/|^/(?:audit-rules|errors|providers|scaling|parity)",
  },
  { text: "Hub", link: "/../", target: "_self" },
];

const start: Item = {
  text: "Start",
  items: [
    { text: "What envs is", link: "/" },
    { text: "Your first evaluation", link: "/guides/first-evaluation" },
    { text: "Get the command", link: "/guides/get-the-command" },
    { text: "Write an environment", link: "/guides/write-an-environment" },
    { text: "Score replies", link: "/guides/score-replies" },
    { text: "Train a model on it", link: "/guides/train" },
    { text: "Publish it to a hub", link: "/guides/publish-an-environment" },
  ],
};

const learn: Item[] = [
  start,
  ...guideGroups(),
  group("Concepts", [overview("concepts"), ...pagesIn("concepts"), page("glossary")]),
  group("Experiments", pagesIn("experiments")),
  { text: "For contributors", link: "/contributing/" },
];

const reference: Item[] = [
  {
    text: "Reference",
    items: [
      page("reference/command-line"),
      page("reference/settings"),
      page("errors"),
      page("audit-rules"),
      page("providers"),
      page("scaling"),
      page("parity"),
    ],
  },
  group("API", [overview("api"), ...modules.flatMap(([name]) => pagesOfModule(`api/${name}`))]),
  group("Examples", [overview("examples"), ...pagesIn("examples")]),
  group("Environments", pagesIn("environments")),
  group("Packages", pagesIn("packages")),
];

const contributors: Item[] = [
  {
    text: "For contributors",
    items: [page("contributing/index"), page("contributing/working-on-envs"), page("releasing")],
  },
  { text: "Decisions", items: [overview("decisions"), ...pagesIn("decisions")] },
];

/** Pages for readers, pages to look things up, and pages for contributors have separate lists. */
export const sidebar: DefaultTheme.SidebarMulti = {
  "/": learn,
  ...forFolders(reference, "reference", "api", "examples", "environments", "packages"),
  "/errors": reference,
  "/audit-rules": reference,
  "/providers": reference,
  "/scaling": reference,
  "/parity": reference,
  ...forFolders(contributors, "contributing", "decisions"),
  "/releasing": contributors,
};

function forFolders(items: Item[], ...folders: readonly string[]): DefaultTheme.SidebarMulti {
  return Object.fromEntries(folders.map((folder) => [`/${folder}/`, items]));
}

function overview(folder: string): Item {
  return { text: "Overview", link: `/${folder}/` };
}

function group(text: string, items: Item[]): Item {
  return { text, items, collapsed: true };
}

/** The groups of the table in the guides' README, without the guides of the start. */
function guideGroups(): Item[] {
  const readme = readFileSync(join(pagesFolder, "guides/index.md"), "utf8");
  const groups: { readonly title: string; readonly items: Item[] }[] = [];
  const row = /^\| (?:\*\*(?<title>.+?)\*\*|\[.+?\]\((?<name>.+?)\.md\))/gm;
  for (const [, title, name = ""] of readme.matchAll(row)) {
    if (title !== undefined) groups.push({ title, items: [] });
    else groups.at(-1)?.items.push(page(`guides/${name}`));
  }
  const links = new Set(start.items?.map(({ link }) => link));
  return groups
    .map(({ title, items }) =>
      group(
        title,
        items.filter(({ link }) => !links.has(link)),
      ),
    )
    .filter(({ items = [] }) => items.length > 0);
}

function pagesIn(folder: string): Item[] {
  return readdirSync(join(pagesFolder, folder))
    .filter((name) => name.endsWith(".md") && name !== "index.md")
    .toSorted()
    .map((name) => page(`${folder}/${name.slice(0, -".md".length)}`));
}

/** A module that exports namespaces is a folder, with a page for each of them. */
function pagesOfModule(path: string): Item[] {
  if (existsSync(join(pagesFolder, `${path}.md`))) return [page(path)];
  return [page(`${path}/index`), ...pagesIn(`${path}/namespaces`)];
}

/** An entry of the list. Its text is the first heading of the page. */
function page(path: string): Item {
  const markdown = readFileSync(join(pagesFolder, `${path}.md`), "utf8");
  const [, heading = path] = /^# (.+)$/m.exec(markdown) ?? [];
  return { text: heading, link: `/${path.replace(/(?<=^|\/)index$/, "")}` };
}

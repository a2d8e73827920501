import { join } from "node:path";

import { defineConfig } from "vitepress";

import { alignedCells } from "../src/aligned-cells.ts";
import { codeTheme, colourClasses } from "../src/code-colours.ts";
import { externalise } from "../src/externalise.ts";
import { literalBraces } from "../src/literal-braces.ts";
import { namedHeadings } from "../src/named-headings.ts";
import { repositoryLinks } from "../src/repository-links.ts";
import { runnableExamples } from "../src/runnable-examples.ts";
import { navigation, sidebar } from "./navigation.ts";

export default defineConfig({
  title: "envs docs",
  description: "Reinforcement-learning environments for language models, in TypeScript",
  lang: "en",
  base: "/docs/",
  srcDir: "pages",
  outDir: "dist",
  cleanUrls: true,
  // `check-links.ts` checks all links, of headings too, once the site is written.
  ignoreDeadLinks: true,
  // Without this option, VitePress sets a style attribute, which the hub's policy forbids.
  contentProps: { class: "page-content" },
  // The stylesheet follows the scheme of the system, as the hub's pages do. A script would apply the scheme too late.
  appearance: false,
  markdown: {
    theme: codeTheme,
    codeTransformers: [colourClasses],
    // Disables syntax for braces and colons, which are plain characters in our documents.
    attrs: false,
    emoji: false,
    languageAlias: { npmrc: "ini" },
    config: (markdown) => {
      const plugins = [repositoryLinks, namedHeadings, alignedCells, runnableExamples];
      for (const plugin of [...plugins, literalBraces]) markdown.use(plugin);
    },
  },
  transformPageData(page) {
    const { source = "" } = page.frontmatter as { readonly source?: string };
    if (/^docs\/(decisions|releasing)|^(CONTRIBUTING|AGENTS)\.md$/.test(source))
      page.frontmatter["isForContributors"] = true;
  },
  transformHtml: externalise,
  themeConfig: {
    nav: navigation,
    sidebar,
    outline: { level: [2, 3], label: "On this page" },
    search: { provider: "local" },
    docFooter: { prev: "Previous", next: "Next" },
    externalLinkIcon: true,
  },
  vite: {
    // The hub's policy allows pictures from its own origin only.
    build: { assetsInlineLimit: 0, chunkSizeWarningLimit: 4000 },
    publicDir: join(import.meta.dirname, "../public"),
    worker: { format: "es" },
  },
});

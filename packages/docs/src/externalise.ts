import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { siteFolder } from "./folders.ts";

const inlineScript = /<script(?: id="[\w-]+")?>([^<]+)<\/script>/g;
/** Styles that VitePress sets again when its script has started, without an attribute. */
const initialStyle = / style="--vp-vh:0px;"/g;

const notFound = `<noscript><h1>This page does not exist</h1><p><a href="/docs/">Start of the documentation</a></p></noscript>`;

/** Moves inline scripts of a page to files, for the hub's content security policy. The 404 page gets a text without scripts. */
export function externalise(html: string): string {
  // VitePress renders this page in the browser only.
  const readable = html.replace('<div id="app"></div>', `<div id="app"></div>${notFound}`);
  return readable.replaceAll(initialStyle, "").replaceAll(inlineScript, (_, code: string) => {
    const name = `assets/inline.${createHash("sha256").update(code).digest("hex").slice(0, 8)}.js`;
    mkdirSync(join(siteFolder, "assets"), { recursive: true });
    writeFileSync(join(siteFolder, name), code);
    return `<script src="/docs/${name}"></script>`;
  });
}

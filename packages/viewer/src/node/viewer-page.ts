import { escapeHtml } from "../escape-html.ts";

/** The scripts, styles and data of an HTML page that shows the viewer. */
export interface ViewerPageOptions {
  readonly title: string;
  /** The address of the built script and stylesheet, with the slash at its end. */
  readonly assets: string;
  readonly script: string;
  readonly style: string;
  /** The address of the data routes, without a slash at its end. */
  readonly data: string;
  /** The place of notes. Default: the data routes store them. */
  readonly notes?: "browser" | undefined;
  /** The page that the viewer belongs to, which it links to. */
  readonly home?: { readonly address: string; readonly title: string } | undefined;
}

/** The page of the viewer as HTML. The application fills the element; its data comes from the routes. */
export function viewerPage(options: ViewerPageOptions): string {
  const { title, assets, script, style, data, notes, home } = options;
  const attributes = { source: data, notes, home: home?.address, homeTitle: home?.title };
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${escapeHtml(assets + style)}">
<script type="module" src="${escapeHtml(assets + script)}"></script>
</head>
<body>
<div id="viewer"${dataset(attributes)}><main class="loading"><h1>${escapeHtml(title)}</h1><noscript>The viewer needs JavaScript.</noscript></main></div>
</body>
</html>
`;
}

function dataset(values: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value = ""]) => {
      const attribute = name.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`);
      return ` data-${attribute}="${escapeHtml(value)}"`;
    })
    .join("");
}

import { createHash } from "node:crypto";

import { escapeHtml } from "../../escape-html.ts";
import type { ViewerAssets } from "../viewer-assets.ts";

/**
 * The start of a report: the policy, the stylesheet and the script. The policy names both by hash, so nothing else runs, and the
 * page cannot send the rollouts anywhere.
 */
export function reportHead(title: string, { script, style }: ViewerAssets): string {
  const code = scriptText(script.text);
  const policy = [
    "default-src 'none'",
    `script-src ${hash(code)}`,
    `style-src ${hash(style.text)}`,
    "img-src data:",
    "media-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${escapeHtml(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<style>${style.text}</style>
<script type="module">${code}</script>
</head>
<body>
<div id="viewer"><main class="loading"><h1>${escapeHtml(title)}</h1><noscript>The report needs JavaScript. Nothing is loaded from the network.</noscript></main></div>
`;
}

export const reportTail = "</body>\n</html>\n";

/** Inside of a script element, these character sequences end the script or change how the rest is read. */
function scriptText(code: string): string {
  return code.replaceAll(/<(?=!--|\/?script)/giu, String.raw`\x3c`);
}

function hash(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

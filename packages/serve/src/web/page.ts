import { entry } from "./assets.ts";
import { data, markup, type Markup } from "./markup.ts";
import type { Playable } from "./playable.ts";

/** The page on which a person plays. */
export function playPage(environments: readonly Playable[]): string {
  const options = environments.map(({ name }) => markup`<option>${name}</option>`);
  return page(markup`
<div class="layout">
<aside>
<form id="choice">
<h1>Play an environment</h1>
<label for="environment">Environment</label>
<select id="environment">${options}</select>
<p id="description" class="quiet"></p>
<div class="row">
<p><label for="split">Split</label><select id="split"></select></p>
<p><label for="index">Example</label><input id="index" type="number" min="0" step="1" placeholder="next" aria-describedby="size"></p>
<p><label for="seed">Seed</label><input id="seed" type="number" min="0" step="1" placeholder="the server's"></p>
</div>
<p id="size" class="quiet"></p>
<button id="start" disabled>Start</button>
</form>
<section id="about"></section>
</aside>
<main>
<h2 id="title" hidden></h2>
<ol id="conversation" aria-live="polite"></ol>
<p id="problem" role="alert" hidden></p>
<p id="status" role="status"></p>
<section id="ending" aria-label="Result" hidden></section>
<form id="reply" hidden></form>
<p id="empty" class="quiet">You see what a model sees, and answer in its place. Choose an example and start.</p>
<noscript><p class="problem">This page needs JavaScript.</p></noscript>
</main>
</div>
<script type="application/json" id="environments">${data(environments)}</script>
<script type="module" src="/web/${entry}"></script>`);
}

/** The page that asks for the key of the server. */
export function keyPage(isWrong: boolean): string {
  const problem = isWrong
    ? markup`<p class="problem" role="alert">This is not the key of this server.</p>`
    : markup``;
  return page(markup`
<main class="narrow">
<form method="post" action="/web/key">
<h1>This server asks for a key</h1>
${problem}
<label for="key">Key</label>
<input id="key" name="key" type="password" autocomplete="current-password" required autofocus>
<p class="quiet">Whoever started the server knows it. This browser will remember that you know it, too.</p>
<button>Continue</button>
</form>
</main>`);
}

function page(body: Markup): string {
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Play an environment</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/web/style.css">
</head>
<body>${body}
</body>
</html>
`.text;
}

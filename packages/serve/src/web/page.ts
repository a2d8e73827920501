import { mainScript } from "./assets.ts";
import type { PlayableEnvironment } from "./playable-environment.ts";

/** The page on which a person plays episodes. */
export function playPage(environments: readonly PlayableEnvironment[]): string {
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
<p><label for="seed">Seed</label><input id="seed" type="number" min="0" step="1" placeholder="server seed"></p>
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
<p id="empty" class="quiet">You see the messages that a model sees, and reply in its place. Choose an example to start.</p>
<noscript><p class="problem">This page needs JavaScript.</p></noscript>
</main>
</div>
<script type="application/json" id="environments">${jsonMarkup(environments)}</script>
<script type="module" src="/web/${mainScript}"></script>`);
}

/** The form for the server's key. */
export function keyPage(isWrong: boolean): string {
  const problem = isWrong
    ? markup`<p class="problem" role="alert">Wrong key. Check it and try again.</p>`
    : markup``;
  return page(markup`
<main class="narrow">
<form method="post" action="/web/key">
<h1>This server requires a key</h1>
${problem}
<label for="key">Key</label>
<input id="key" name="key" type="password" autocomplete="current-password" required autofocus>
<p class="quiet">Ask the person who started the server. This browser stores a cookie so that you enter the key only once.</p>
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

/** HTML without unescaped user data. */
class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/** A template tag for HTML. Escapes all values that are not markup themselves. */
function markup(
  parts: TemplateStringsArray,
  ...values: readonly (string | number | Markup | readonly Markup[])[]
): Markup {
  return new Markup(String.raw({ raw: parts }, ...values.map(render)));
}

function render(value: string | number | Markup | readonly Markup[]): string {
  if (value instanceof Markup) return value.text;
  if (typeof value === "object") return value.map(({ text }) => text).join("");
  return String(value).replaceAll(/[&<>"]/gu, (character) => entities[character]!);
}

/** JSON for a script element, which it cannot close. */
function jsonMarkup(value: unknown): Markup {
  return new Markup(JSON.stringify(value).replaceAll("<", String.raw`\u003c`));
}

import {
  createCssVariablesTheme,
  createHighlighterCore,
  type HighlighterCore,
  type ThemedToken,
} from "shiki/core";
import { createJavaScriptRegexEngine } from "shiki/engine/javascript";
import { bundledLanguages } from "shiki/langs";

import { languageNamed } from "./languages.ts";

/** A part of a line of code, and its class in the stylesheet: undefined for text without a colour. */
export interface CodeToken {
  readonly text: string;
  readonly className: string | undefined;
}

/** The maximum length of a coloured line: grammars take at least linear time. */
const maxLineLength = 1000;
const maxLength = 300_000;

let highlighter: Promise<HighlighterCore> | undefined;

/** Splits code into lines of coloured tokens. A language without a grammar, and code that is too long, get no colours. */
export async function highlight(
  code: string,
  languageName: string | undefined,
): Promise<readonly (readonly CodeToken[])[]> {
  const language = languageName === undefined ? undefined : languageNamed(languageName);
  if (language === undefined || code.length > maxLength) return plainLines(code);
  highlighter ??= createHighlighterCore({
    engine: createJavaScriptRegexEngine({ forgiving: true }),
    themes: [createCssVariablesTheme({ name: "hub", variablePrefix: "--code-" })],
  });
  const shiki = await highlighter;
  if (!shiki.getLoadedLanguages().includes(language)) {
    const load = bundledLanguages[language as keyof typeof bundledLanguages];
    await shiki.loadLanguage(load);
  }
  const lines = shiki.codeToTokensBase(code, {
    lang: language,
    theme: "hub",
    tokenizeMaxLineLength: maxLineLength,
    // Only the whole task has a time limit: a limit for each line would drop colours at random on a busy machine.
    tokenizeTimeLimit: 0,
  });
  return lines.map((tokens) => tokens.map((token) => codeToken(token)));
}

function plainLines(code: string): readonly (readonly CodeToken[])[] {
  return code.split(/\r?\n/).map((text) => [{ text, className: undefined }]);
}

/** Converts the theme's CSS variables to classes, because the policy of the pages forbids styles in attributes. */
function codeToken({ content, color }: ThemedToken): CodeToken {
  const [, name] = /^var\(--code-token-([a-z-]+)\)$/.exec(color ?? "") ?? [];
  return { text: content, className: name === undefined ? undefined : `code-${name}` };
}

/** A line of tokens as HTML. */
export function tokensHtml(tokens: readonly CodeToken[]): string {
  return tokens
    .map(({ text, className }) =>
      className === undefined
        ? escapeHtml(text)
        : `<span class="${className}">${escapeHtml(text)}</span>`,
    )
    .join("");
}

function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

import DOMPurify from "dompurify";
import { Marked } from "marked";
import { useMemo } from "react";

import { escapeHtml } from "../../escape-html.ts";

/** Shows HTML in a reply as text: the environment scores tags such as <move>. Does not load pictures of other servers. */
const marked = new Marked({
  gfm: true,
  breaks: true,
  async: false,
  renderer: {
    html: ({ text }) => escapeHtml(text),
    image: ({ href, text }) => escapeHtml(`![${text}](${href})`),
  },
});

const allowedTags =
  "a blockquote br code del em h1 h2 h3 h4 h5 h6 hr li ol p pre strong table tbody td th thead tr ul".split(
    " ",
  );

const purify = DOMPurify(window);
purify.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName !== "A") return;
  node.setAttribute("rel", "noopener noreferrer nofollow");
  node.setAttribute("target", "_blank");
});

/** A text as Markdown, sanitized. */
export function Markdown({ text }: { readonly text: string }) {
  const html = useMemo(
    () =>
      purify.sanitize(marked.parse(text) as string, {
        ALLOWED_TAGS: allowedTags,
        ALLOWED_ATTR: ["href", "start"],
        ALLOWED_URI_REGEXP: /^(?:https?|mailto):/iu,
        ALLOW_DATA_ATTR: false,
        ALLOW_ARIA_ATTR: false,
      }),
    [text],
  );
  return <div className="markdown" dangerouslySetInnerHTML={{ __html: html }} />;
}

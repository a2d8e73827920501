/** The maximum number of characters that are read of a server's page, whose title and message are at the start. */
const maxInput = 20_000;

// oxlint-disable-next-line no-control-regex -- JSON writes each of these characters as six
const unprintable = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\s]+/gu;

/** Shortens a server's text to one line of at most `length` characters, because records repeat it several times. */
export function excerpt(text: string, length = 300): string {
  const line = text.slice(0, maxInput).toWellFormed().replace(unprintable, " ").trim();
  return line.length <= length ? line : `${line.slice(0, length).toWellFormed().trimEnd()}…`;
}

/** Describes a response that is not JSON: the title and the text of an HTML page, or the text itself. */
export function pageExcerpt(text: string): string {
  const page = text.slice(0, maxInput);
  if (!/^\s*<(?:!doctype|html|head|body|h1|title|center)\b/i.test(page)) return excerpt(page);
  const title = excerpt(plainText(/<title[^>]*>([^<]*)/i.exec(page)?.[1] ?? ""), 100);
  const content = excerpt(plainText(page.replace(/<title[^>]*>[^<]*/i, " ")));
  return [title === "" ? "an HTML page" : `an HTML page, ${JSON.stringify(title)}`, content]
    .filter((part) => part !== "")
    .join(": ");
}

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  gt: ">",
  lt: "<",
  nbsp: " ",
  quot: '"',
  "#39": "'",
};

function plainText(html: string): string {
  return html
    .replace(/<!--[^]*?-->|<(script|style|svg|noscript)\b[^]*?<\/\1\s*>/gi, " ")
    .replace(/<[^>]*>/g, " ")
    .replace(/&(#?\w+);/g, (entity, name: string) => entities[name.toLowerCase()] ?? entity);
}

import type { Encyclopedia } from "./encyclopedia.ts";

const snippetLength = 160;

/** The result of `search`: a line for each matching article, with id, title and the first 160 characters. */
export function searchText(book: Encyclopedia, query: string, limit: number): string {
  const hits = book.search(query, limit);
  if (hits.length === 0)
    return `Nothing found for ${JSON.stringify(query)}. Try fewer words, or the name of a place alone.`;
  return hits.map(({ id, title, lead }) => `[${id}] ${title}: ${snippet(lead)}`).join("\n");
}

/** The result of `open`: an article's title, lead and section names. */
export function openText(book: Encyclopedia, id: string): string {
  const article = book.article(id);
  if (article === undefined) return unknownId(book, id);
  return `${article.title}\n\n${article.lead}\n\nSections: ${[...article.sections.keys()].join(", ")}`;
}

/** The result of `read`: one section of an article. */
export function readText(book: Encyclopedia, id: string, section: string): string {
  const article = book.article(id);
  if (article === undefined) return unknownId(book, id);
  const text = article.sections.get(section.trim().toLowerCase());
  if (text !== undefined) return text;
  const names = [...article.sections.keys()].join(", ");
  return `${article.title} has no section ${JSON.stringify(section)}. Its sections: ${names}.`;
}

function unknownId(book: Encyclopedia, id: string): string {
  const similar = book.search(id.replaceAll("-", " "), 3).map((article) => article.id);
  const hint = similar.length > 0 ? ` Similar ids: ${similar.join(", ")}.` : "";
  return `There is no article with the id ${JSON.stringify(id)}.${hint} Take ids from the results of search.`;
}

function snippet(lead: string): string {
  const line = lead.replaceAll("\n", " ");
  return line.length > snippetLength ? `${line.slice(0, snippetLength)}…` : line;
}

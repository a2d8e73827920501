/** The words to index of a text. `camelCase` counts as one word and as its parts. */
export function textWords(text: string): readonly string[] {
  return plainWords(text).flatMap((word) => {
    const parts = word.split(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u);
    return (parts.length === 1 ? [word] : [word, ...parts]).map((part) => part.toLowerCase());
  });
}

/** The words to index of a name. The part after the scope also counts without its dashes: `wiki-search` as `wikisearch`. */
export function nameWords(name: string): readonly string[] {
  const joined = queryWords(name.slice(name.indexOf("/") + 1)).join("");
  return [...new Set([...textWords(name), joined])];
}

/** The words of a query, in lower case. */
export function queryWords(text: string): readonly string[] {
  return plainWords(text).map((word) => word.toLowerCase());
}

/** Only letters and digits, without accents, so that no word contains an operator of PostgreSQL's query language. */
function plainWords(text: string): readonly string[] {
  return (
    text
      .normalize("NFKD")
      .replaceAll(/\p{M}+/gu, "")
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** The words that a text is found by. `camelCase` counts as one word and as its parts. */
export function wordsOf(text: string): readonly string[] {
  return plainWords(text).flatMap((word) => {
    const parts = word.split(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u);
    return (parts.length === 1 ? [word] : [word, ...parts]).map((part) => part.toLowerCase());
  });
}

/** The words that a name is found by. The last part also counts without its dashes: `wiki-search` as `wikisearch`. */
export function nameWords(name: string): readonly string[] {
  const joined = queryWords(name.slice(name.indexOf("/") + 1)).join("");
  return [...new Set([...wordsOf(name), joined])];
}

/** The words that someone asks for, each as it was typed. */
export function queryWords(text: string): readonly string[] {
  return plainWords(text).map((word) => word.toLowerCase());
}

/** Letters and digits alone, without accents: nothing that the query language of PostgreSQL gives a meaning to. */
function plainWords(text: string): readonly string[] {
  return (
    text
      .normalize("NFKD")
      .replaceAll(/\p{M}+/gu, "")
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

import { blank, mask, maskCode, type Passage } from "./passage.ts";

/** The prose of a Markdown document: without code, comments, front matter and the targets of links. */
export function markdownPassages(source: string): readonly Passage[] {
  const text = source
    .replace(/^---\n[\s\S]*?\n---\n/, blank)
    .replaceAll(/^(?<indent>\s*)(?<ticks>`{3,})[\s\S]*?^\k<indent>\k<ticks>$/gm, blank)
    .replaceAll(/<!--[\s\S]*?-->/g, blank);
  return [
    {
      kind: "document",
      start: 0,
      text: maskCode(text)
        .replaceAll(/(?<=\])\([^)\s]+\)/g, mask)
        .replaceAll(/^ *(?:[-*+]|\d+\.|>|#+) /gm, separate)
        .replaceAll(/[*_]{2}|\s\|/g, blank),
    },
  ];
}

/** A list item, a heading and a quotation each begin a sentence. */
function separate(marker: string): string {
  return `${" ".repeat(marker.length - 2)}. `;
}

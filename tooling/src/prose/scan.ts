import { blank, maskCode, type Passage } from "./passage.ts";

const quoted = String.raw`"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'`;

/** Strings and comments, whichever begins first. Comments on consecutive lines are one. */
const grammars = {
  sql: /(?<comment>(?:--[^\n]*(?:\n[ \t]*(?=--))?)+|\/\*[\s\S]*?\*\/)|(?<string>'(?:[^']|'')*')/g,
  hash: new RegExp(
    `(?<comment>(?:(?<![\\S])#[^\\n]*(?:\\n[ \\t]*(?=#))?)+)|(?<string>${quoted})`,
    "g",
  ),
  python: new RegExp(
    `(?<comment>(?:#[^\\n]*(?:\\n[ \\t]*(?=#))?)+)|(?<string>"""[\\s\\S]*?"""|'''[\\s\\S]*?'''|${quoted})`,
    "g",
  ),
} as const;

/** The comments and strings of a file in SQL, in Python, or in a language with `#` comments (shell, YAML, TOML). */
export function scannedPassages(
  language: keyof typeof grammars,
  source: string,
): readonly Passage[] {
  return [...source.matchAll(grammars[language])].flatMap(
    ({ 0: text, index, groups }): Passage[] => {
      if (groups?.["comment"] !== undefined) {
        const words = text.replaceAll(/^[ \t]*(?:--+|#+!?)|^\/\*+|\*+\/$|^\s*\*(?=\s)/gm, blank);
        return [{ kind: "comment", start: index, text: maskCode(words) }];
      }
      const words = text.replaceAll(/^["']+|["']+$/g, blank);
      return /\S\s+\S/.test(words) ? [{ kind: "string", start: index, text: maskCode(words) }] : [];
    },
  );
}

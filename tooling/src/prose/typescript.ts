import { parseSync, Visitor } from "oxc-parser";

import { blank, mask, maskCode, type Passage } from "./passage.ts";

/** The comments, strings and JSX texts of a TypeScript file. TypeScript 7 has no compiler API, so oxc reads it. */
export function typescriptPassages(path: string, source: string): readonly Passage[] {
  // Syntax errors are the compiler's to report: AssemblyScript has some that oxc does not know.
  const { program, comments } = parseSync(path, source);
  const passages: Passage[] = [];
  let line: { start: number; end: number } | undefined;
  const endLine = (): void => {
    if (line !== undefined) passages.push(comment(source, line.start, line.end));
    line = undefined;
  };
  for (const { type, start, end } of comments) {
    // Comments on consecutive lines are one text.
    const isNext = line !== undefined && /^\s*$/.test(source.slice(line.end, start));
    if (type === "Line" && line !== undefined && isNext) line.end = end;
    else {
      endLine();
      if (type === "Line") line = { start, end };
      else passages.push(comment(source, start, end));
    }
  }
  endLine();

  const errorSpans: { start: number; end: number }[] = [];
  const kindAt = (start: number): Passage["kind"] =>
    errorSpans.some((span) => span.start < start && start < span.end) ? "error" : "string";
  new Visitor({
    NewExpression({ callee, start, end }) {
      if (callee.type === "Identifier" && callee.name.endsWith("Error"))
        errorSpans.push({ start, end });
    },
    Literal({ value, start, end }) {
      if (typeof value !== "string" || !/\s/.test(value)) return;
      const text = unescape(source.slice(start + 1, end - 1));
      passages.push({ kind: kindAt(start), start: start + 1, text });
    },
    TemplateLiteral({ expressions, start, end }) {
      let text = source.slice(start, end);
      for (const { start: from, end: to } of expressions) {
        const [open, close] = [
          text.lastIndexOf("${", from - start),
          text.indexOf("}", to - start) + 1,
        ];
        text = text.slice(0, open) + mask(text.slice(open, close)) + text.slice(close);
      }
      if (!/\s/.test(text)) return;
      passages.push({ kind: kindAt(start), start: start + 1, text: unescape(text.slice(1, -1)) });
    },
    JSXText({ value, start, end }) {
      if (value.trim() !== "")
        passages.push({ kind: "string", start, text: source.slice(start, end) });
    },
  }).visit(program);
  return passages;
}

function comment(source: string, start: number, end: number): Passage {
  const text = source
    .slice(start, end)
    .replaceAll(/^\/\*+|\*+\/$|^\s*\*(?=\s)|\/\/+/gm, blank)
    .replaceAll(/@\w+/g, (tag) => `${blank(tag.slice(1))}.`);
  return { kind: "comment", start, text: maskCode(text) };
}

/** Escapes become spaces: `\n` separates words. */
function unescape(text: string): string {
  return maskCode(text.replaceAll("\\`", "``").replaceAll(/\\[nrt]/g, blank)).replaceAll("\\", " ");
}

import { meanOverReplies, type Parser } from "./parser.ts";

const opening = "\\boxed{";

/** Reads the content of the last complete `\boxed{…}`, including nested braces; `undefined` if the text has no box. */
export function boxedParser(): Parser<string | undefined> {
  return {
    format: "\\boxed{...}",
    parse: lastBoxed,
    formatScore: (completion) =>
      meanOverReplies(completion, (text) => (lastBoxed(text) === undefined ? 0 : 1)),
  };
}

/** One pass with a stack of open braces. Of nested boxes, the inner one counts. */
function lastBoxed(text: string): string | undefined {
  const open: number[] = [];
  let last: { readonly from: number; readonly to: number } | undefined;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === "\\" && !text.startsWith(opening, index)) index += 1;
    else if (character === "{") open.push(index);
    else if (character === "}") {
      const start = open.pop();
      if (start === undefined || !text.startsWith(opening, start - opening.length + 1)) continue;
      if (last === undefined || start >= last.from) last = { from: start + 1, to: index };
    }
  }
  return last === undefined ? undefined : text.slice(last.from, last.to).trim();
}

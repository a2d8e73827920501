import { meanOverReplies, type Parser } from "./parser.ts";

const opening = "\\boxed{";

/** Reads the last complete `\boxed{…}`, braces inside it included; `undefined` if there is none. */
export function boxedParser(): Parser<string | undefined> {
  return {
    format: "\\boxed{...}",
    parse: lastBoxed,
    formatScore: (completion) =>
      meanOverReplies(completion, (text) => (lastBoxed(text) === undefined ? 0 : 1)),
  };
}

/** One pass with a stack of open braces. Of a box within a box, the inner one counts. */
function lastBoxed(text: string): string | undefined {
  const open: number[] = [];
  let last: { readonly from: number; readonly to: number } | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === "\\" && !text.startsWith(opening, at)) at += 1;
    else if (character === "{") open.push(at);
    else if (character === "}") {
      const start = open.pop();
      if (start === undefined || !text.startsWith(opening, start - opening.length + 1)) continue;
      if (last === undefined || start >= last.from) last = { from: start + 1, to: at };
    }
  }
  return last === undefined ? undefined : text.slice(last.from, last.to).trim();
}

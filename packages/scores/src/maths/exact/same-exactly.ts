import { type Bound, readValue, type Value } from "./value.ts";

/**
 * Whether two answers are the same beyond doubt: the same text, or equal numbers, sets, tuples or intervals after exact
 * normalisation. `false` means only that this function does not know.
 */
export function sameExactly(answer: string, reference: string): boolean {
  if (answer === reference && isPlainText(answer)) return true;
  const [a, b] = [readValue(normalized(answer)), readValue(normalized(reference))];
  return a !== undefined && b !== undefined && isSameValue(a, b);
}

/** Removes what surrounds an answer without changing it: dollars, `\left` and `\right`, spaces. */
function normalized(text: string): string {
  const inner = /^\$(?<inner>[^$]*)\$$/.exec(text)?.groups?.["inner"] ?? text.replace(/^\\?\$/, "");
  return inner.replaceAll(/\\(?:left|right)(?=[()[\]]|\\[{}])/g, "").trim();
}

/** Commands of LaTeX that stay when Math-Verify normalises a text. Words and units could become empty. */
const plainText =
  /^(?:[A-Za-z0-9+\-*/^=<>()[\]{}_., ]|\\(?:[dt]?frac|sqrt|pi|cdot|times|infty|cup|left|right)(?![A-Za-z]))*$/;

/** Whether Math-Verify surely recognises a text as the same as itself. */
function isPlainText(text: string): boolean {
  return text.length <= 200 && /[0-9]/.test(text) && plainText.test(text) && isBalanced(text);
}

/** An unbalanced brace would end the box in which Math-Verify receives the text. */
function isBalanced(text: string): boolean {
  let depth = 0;
  for (const character of text) {
    if (character === "{") depth += 1;
    if (character === "}") depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

function isSameValue(a: Value, b: Value): boolean {
  switch (a.kind) {
    case "number":
    case "percentage":
      return b.kind === a.kind && isSameBound(a.number, b.number);
    case "interval":
      return b.kind === a.kind && b.brackets === a.brackets && areSame(a.bounds, b.bounds);
    default:
      return b.kind === a.kind && areSame(a.items, b.items);
  }
}

function areSame(a: readonly Bound[], b: readonly Bound[]): boolean {
  return a.length === b.length && a.every((item, index) => isSameBound(item, b[index]!));
}

function isSameBound(a: Bound, b: Bound): boolean {
  if (typeof a === "string" || typeof b === "string") return a === b;
  return a.numerator === b.numerator && a.denominator === b.denominator;
}

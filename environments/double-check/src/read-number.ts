import { add, divide, type Rational, rational } from "./rational.ts";

const maxLength = 100;

/**
 * Reads a number in the notations that people and models use for a result: `-12`, `1,200`, `0.75`, `3/4`, `1 1/2`,
 * `-\frac{3}{4}`, `x = 5`, `$42$`, `12 apples`. Returns `undefined` for other text, and for text over 100 characters.
 */
export function readNumber(text: string): Rational | undefined {
  if (text.length > maxLength) return undefined;
  const plain = simplify(text);
  const [, sign = "", rest = ""] = /^([+-]?)(.+)$/u.exec(plain) ?? [];
  const size = readMixed(rest) ?? readFraction(rest) ?? readDecimal(rest);
  return size === undefined || sign !== "-" ? size : { ...size, numerator: -size.numerator };
}

/** Removes LaTeX spacing, units, a leading `x =` and a final period, none of which change the number. */
function simplify(text: string): string {
  return text
    .replaceAll("−", "-")
    .replaceAll("{,}", ",")
    .replaceAll(/\\[,;! ]|[$]|\\[()[\]]/gu, " ")
    .replaceAll(/\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}/gu, " $1/$2")
    .replaceAll(/\\(?:text|mathrm|mathbf)\s*\{([^{}]*)\}/gu, "$1")
    .replace(/^\s*[a-z]\s*=/iu, "")
    .replaceAll(/\s*\/\s*/gu, "/")
    .replace(/^\s*([+-])\s+/u, "$1")
    .trim()
    .replace(/\.$/u, "")
    .replace(/(?<=\d)\s+[a-z][a-z ]*$/iu, "");
}

function readMixed(text: string): Rational | undefined {
  const [, whole, top, bottom] = /^(\d+)\s+(\d+)\/(\d+)$/u.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const part = readFraction(`${top}/${bottom}`);
  return part && add(rational(BigInt(whole)), part);
}

function readFraction(text: string): Rational | undefined {
  const [, above, below] = /^([^/]+)\/([^/]+)$/u.exec(text) ?? [];
  if (above === undefined || below === undefined) return undefined;
  const [top, bottom] = [readDecimal(above), readDecimal(below)];
  if (top === undefined || bottom === undefined || bottom.numerator === 0n) return undefined;
  return divide(top, bottom);
}

function readDecimal(text: string): Rational | undefined {
  const [, whole, decimals = ""] =
    /^(\d+|\d{1,3}(?:,\d{3})+|(?=\.))(?:\.(\d+))?$/u.exec(text) ?? [];
  if (whole === undefined) return undefined;
  return rational(BigInt(whole.replaceAll(",", "") + decimals), 10n ** BigInt(decimals.length));
}

import { type Rational, negated, rational } from "./rational.ts";

/**
 * More digits than any answer needs. Math-Verify compares decimals as floating-point numbers with as many digits as the text
 * has, and a number of many thousand digits takes it seconds.
 */
const maxDigits = 60;
/** Beyond 15 digits, a decimal and the same fraction may differ in floating point. */
const maxDecimalDigits = 15;

const sign = String.raw`(?<sign>[-+−]?)`;
const digits = String.raw`(?<digits>[0-9]+)`;
const grouped = String.raw`(?<grouped>[1-9][0-9]{0,2}(?:(?:,|\{,\})[0-9]{3})+)`;
const decimals = String.raw`(?:\.(?<decimals>[0-9]+))`;
const decimalPattern = new RegExp(`^${sign}(?:(?:${grouped}|${digits})${decimals}?|${decimals})$`);

const integer = String.raw`-?[0-9]+`;
const fractionPattern = new RegExp(
  String.raw`^(?<sign>-?)(?<whole>[0-9]*)\\[dt]?frac(?:\{(?<a>${integer})\}\{(?<b>${integer})\}|(?<c>[0-9])(?<d>[0-9]))$`,
);
const ratioPattern = new RegExp(String.raw`^(?<a>${integer})\/(?<b>[0-9]+)$`);

/** Reads a number that Math-Verify reads the same way: `1,200`, `-0.5`, `3/4`, `\frac34`, `1\frac12`. Otherwise `undefined`. */
export function readNumber(text: string): Rational | undefined {
  if (text.length > maxDigits + 20) return undefined;
  return readDecimal(text) ?? readFraction(text);
}

function readDecimal(text: string): Rational | undefined {
  const groups = decimalPattern.exec(text)?.groups;
  if (groups === undefined) return undefined;
  const whole = (groups["grouped"] ?? groups["digits"] ?? "").replaceAll(/[^0-9]/g, "");
  const part = groups["decimals"] ?? "";
  const limit = part === "" ? maxDigits : maxDecimalDigits;
  if (whole.length + part.length > limit) return undefined;
  const value = rational(BigInt(whole + part), 10n ** BigInt(part.length));
  return value && isMinus(groups["sign"]) ? negated(value) : value;
}

function readFraction(text: string): Rational | undefined {
  const groups = (fractionPattern.exec(text) ?? ratioPattern.exec(text))?.groups;
  if (groups === undefined) return undefined;
  const numerator = BigInt(groups["a"] ?? groups["c"]!);
  const denominator = BigInt(groups["b"] ?? groups["d"]!);
  const { sign: minus = "", whole = "" } = groups;
  if (whole === "") {
    const value = rational(numerator, denominator);
    return value && isMinus(minus) ? negated(value) : value;
  }
  // A mixed number. With a minus or an improper fraction, its meaning depends on the reader.
  if (minus !== "" || numerator <= 0n || numerator >= denominator) return undefined;
  return rational(BigInt(whole) * denominator + numerator, denominator);
}

function isMinus(text: string | undefined): boolean {
  return text === "-" || text === "−";
}

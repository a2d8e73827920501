/** An exact number: a fraction in lowest terms whose denominator is positive. */
export interface Rational {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** The number `numerator / denominator`. Throws a `RangeError` if the denominator is zero. */
export function rational(numerator: bigint | number, denominator: bigint | number = 1): Rational {
  const [top, bottom] = [BigInt(numerator), BigInt(denominator)];
  if (bottom === 0n) throw new RangeError("The denominator of a fraction must not be zero.");
  const divisor = greatestCommonDivisor(top, bottom) * (bottom < 0n ? -1n : 1n);
  return { numerator: top / divisor, denominator: bottom / divisor };
}

export function add(left: Rational, right: Rational): Rational {
  return rational(
    left.numerator * right.denominator + right.numerator * left.denominator,
    left.denominator * right.denominator,
  );
}

export function subtract(left: Rational, right: Rational): Rational {
  return add(left, { numerator: -right.numerator, denominator: right.denominator });
}

export function multiply(left: Rational, right: Rational): Rational {
  return rational(left.numerator * right.numerator, left.denominator * right.denominator);
}

export function divide(left: Rational, right: Rational): Rational {
  return rational(left.numerator * right.denominator, left.denominator * right.numerator);
}

export function isEqual(left: Rational, right: Rational): boolean {
  return left.numerator === right.numerator && left.denominator === right.denominator;
}

/** Writes a number as `7` or `-3/4`. */
export function format({ numerator, denominator }: Rational): string {
  return denominator === 1n ? String(numerator) : `${numerator}/${denominator}`;
}

/** The greatest whole number, at least 0, that divides both. */
export function greatestCommonDivisor(left: bigint, right: bigint): bigint {
  let [a, b] = [left < 0n ? -left : left, right < 0n ? -right : right];
  while (b !== 0n) [a, b] = [b, a % b];
  return a;
}

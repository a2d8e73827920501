import fc from "fast-check";

export interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** Fractions with finite decimals, and others. */
export const number: fc.Arbitrary<Fraction> = fc.record({
  numerator: fc.bigInt({ min: -10_000_000n, max: 10_000_000n }),
  denominator: fc.constantFrom(1n, 2n, 4n, 5n, 8n, 10n, 100n, 3n, 7n, 12n),
});

/** Ways to write a number. */
export function spellings({ numerator, denominator }: Fraction): readonly string[] {
  const minus = numerator < 0n ? "-" : "";
  const size = numerator < 0n ? -numerator : numerator;
  const texts = [
    `${numerator}/${denominator}`,
    `\\frac{${numerator}}{${denominator}}`,
    `${minus}\\dfrac{${size}}{${denominator}}`,
    `$${2n * numerator}/${2n * denominator}$`,
  ];
  if (1000n % denominator === 0n) {
    const thousandths = ((size * 1000n) / denominator).toString().padStart(4, "0");
    const [whole, part] = [thousandths.slice(0, -3), thousandths.slice(-3)];
    texts.push(`${minus}${whole}.${part}`);
    texts.push(`${minus}${whole.replaceAll(/\B(?=(?:[0-9]{3})+$)/g, ",")}.${part}`);
    if (part === "000") texts.push(`${minus}${whole}`);
  }
  return texts;
}

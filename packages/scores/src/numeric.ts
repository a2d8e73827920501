export interface NumericOptions {
  /** The largest difference that counts as equal. Default 0. */
  readonly tolerance?: number | undefined;
  /** The largest difference as a share of the reference, such as 0.01 for 1 %. Default 0. */
  readonly relative?: number | undefined;
}

const pattern = /^[+-]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)?(?:\.[0-9]+)?(?:e[+-]?[0-9]{1,3})?$/i;

/**
 * 1 if an answer is a number within a tolerance of the reference. The answer is the number alone, such as `1,200` or `1.2e3`: text
 * around it must be removed by a parser. For fractions and formulas, use `sameMath` of `@envs/scores/maths`.
 */
export function numeric(
  answer: string | number,
  reference: number,
  { tolerance = 0, relative = 0 }: NumericOptions = {},
): 0 | 1 {
  const value = typeof answer === "number" ? answer : readNumber(answer);
  if (value === undefined || !Number.isFinite(value)) return 0;
  return Math.abs(value - reference) <= tolerance + relative * Math.abs(reference) ? 1 : 0;
}

function readNumber(text: string): number | undefined {
  const trimmed = text.trim().replace("−", "-");
  if (!pattern.test(trimmed) || !/[0-9]/.test(trimmed)) return undefined;
  return Number(trimmed.replaceAll(",", ""));
}

const operators = ["+", "-", "*"] as const;
export type Operator = (typeof operators)[number];

/** Whole numbers with an operator between each two. Products are computed first, then the rest from left to right. */
export interface Expression {
  readonly numbers: readonly number[];
  /** The operators, one fewer than the numbers. */
  readonly operators: readonly Operator[];
}

/** Computes the result of one operation. */
export type Operation = (left: number, operator: Operator, right: number) => number;

/** Reads `7 + 12 * 3`; `undefined` for another form, or a number of more than three digits. */
export function parseExpression(text: string): Expression | undefined {
  const tokens = text.trim().split(/\s*([+*-])\s*/);
  const numbers = tokens.filter((_, index) => index % 2 === 0);
  if (!numbers.every((number) => /^\d{1,3}$/.test(number))) return undefined;
  return { numbers: numbers.map(Number), operators: tokens.filter(isOperator) };
}

function isOperator(token: string): token is Operator {
  return operators.some((operator) => operator === token);
}

export function writeExpression({ numbers, operators: between }: Expression): string {
  return numbers.map((number, index) => `${number} ${between[index] ?? ""}`.trim()).join(" ");
}

/** The value of an expression, with the results of `operation`: by default, the right ones. */
export function valueOf(
  { numbers, operators: between }: Expression,
  operation: Operation = exactly,
): number {
  const terms: number[] = [numbers[0]!];
  const signs: Operator[] = [];
  for (const [index, operator] of between.entries()) {
    const number = numbers[index + 1]!;
    if (operator === "*") terms.push(operation(terms.pop()!, operator, number));
    else {
      terms.push(number);
      signs.push(operator);
    }
  }
  return terms.reduce((sum, term, index) => operation(sum, signs[index - 1]!, term));
}

export const exactly: Operation = (left, operator, right) => {
  if (operator === "*") return left * right;
  return operator === "+" ? left + right : left - right;
};

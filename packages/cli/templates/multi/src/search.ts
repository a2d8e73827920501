/** The range of numbers that the feedback so far allows, both ends included. */
export interface Search {
  low: number;
  high: number;
  isFound: boolean;
}

/** Compares a guess with the secret number, narrows the range, and returns the feedback. */
export function guess(search: Search, secret: number, number: number): string {
  if (number === secret) {
    search.isFound = true;
    return "Correct.";
  }
  if (number < secret) {
    search.low = Math.max(search.low, number + 1);
    return "Higher.";
  }
  search.high = Math.min(search.high, number - 1);
  return "Lower.";
}

/** The guess that halves the range. */
export function middle({ low, high }: Search): number {
  return Math.floor((low + high) / 2);
}

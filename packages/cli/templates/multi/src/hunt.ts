/** The numbers that the answers so far leave open, both ends included. */
export interface Hunt {
  low: number;
  high: number;
  isFound: boolean;
}

/** Takes a guess, narrows the hunt, and says what the guesser hears. */
export function guess(hunt: Hunt, secret: number, number: number): string {
  if (number === secret) {
    hunt.isFound = true;
    return "Found.";
  }
  if (number < secret) {
    hunt.low = Math.max(hunt.low, number + 1);
    return "Higher.";
  }
  hunt.high = Math.min(hunt.high, number - 1);
  return "Lower.";
}

/** The guess that halves what is open. */
export function middle({ low, high }: Hunt): number {
  return Math.floor((low + high) / 2);
}

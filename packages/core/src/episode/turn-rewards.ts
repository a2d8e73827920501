import { RolloutError } from "../errors.ts";

/** What `context.reward()` received in each turn of an episode. */
export class TurnRewards {
  /** One sum per turn, in order; 0 for a turn without a reward. */
  readonly sums: number[] = [];

  startTurn(): void {
    this.sums.push(0);
  }

  /** Rewards the current turn. Throws a `RolloutError` before the first one, and unless the amount is finite. */
  add(amount: number): void {
    const turn = this.sums.length - 1;
    if (turn < 0)
      throw new RolloutError(
        "environment",
        "context.reward() was called before the first turn. Call it in respond or in a tool.",
      );
    if (!Number.isFinite(amount))
      throw new RolloutError(
        "environment",
        `context.reward() received ${amount}. A reward is a finite number.`,
      );
    this.sums[turn]! += amount;
  }
}

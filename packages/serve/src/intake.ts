/** Who sends a message that has not come whole yet, or was not read yet. */
export interface Sender {
  /** Ends the message: all of it that has come is given up. */
  refuse(): void;
}

/** What clients send, over all connections: when there is too much of it at once, the largest message is refused. */
export class Intake {
  readonly #most: number;
  readonly #all = new Map<Sender, number>();
  #sum = 0;

  /** `most`: how many bytes there may be. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Takes note of how many bytes of a sender are kept now; with 0 it is forgotten. */
  set(sender: Sender, bytes: number): void {
    this.#sum += bytes - (this.#all.get(sender) ?? 0);
    if (bytes === 0) this.#all.delete(sender);
    else this.#all.set(sender, bytes);
    while (this.#sum > this.#most) this.#refuseLargest();
  }

  #refuseLargest(): void {
    let [largest, most]: [Sender | undefined, number] = [undefined, 0];
    for (const [sender, bytes] of this.#all) if (bytes > most) [largest, most] = [sender, bytes];
    if (largest === undefined) return;
    this.set(largest, 0);
    largest.refuse();
  }
}

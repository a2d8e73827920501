/** How often a tool was called, in a rollout or in a run. */
export interface ToolUse {
  readonly calls: number;
  /** Calls that the model received an error for: wrong arguments, a tool that threw or took too long. */
  readonly errors: number;
  /** The durations of all calls, added. Calls of one turn overlap. */
  readonly seconds: number;
}

/** The use of tools by name. A tool that was not called is absent. */
export type ToolUses = Readonly<Record<string, ToolUse>>;

/** A model may invent any name. Longer names are cut, and a run counts at most this many different ones. */
const maxNameLength = 64;
const maxNames = 100;

type Sum = { -readonly [Field in keyof ToolUse]: ToolUse[Field] };

/** Adds the use of tools, over the calls of a rollout or the rollouts of a run. */
export class ToolUseCounter {
  readonly #sums = new Map<string, Sum>();

  add(name: string, isError: boolean, seconds: number): void {
    this.addAll({ [name]: { calls: 1, errors: isError ? 1 : 0, seconds } });
  }

  addAll(uses: ToolUses = {}): void {
    for (const [name, { calls, errors, seconds }] of Object.entries(uses)) {
      const sum = this.#sumOf(name);
      if (sum === undefined) continue;
      sum.calls += calls;
      sum.errors += errors;
      sum.seconds += seconds;
    }
  }

  /** `undefined` if no tool was called. */
  uses(): ToolUses | undefined {
    if (this.#sums.size === 0) return undefined;
    return Object.fromEntries(
      [...this.#sums].map(([name, { calls, errors, seconds }]) => [
        name,
        // Whole microseconds, as in records: further digits are noise of the clock.
        { calls, errors, seconds: Math.round(seconds * 1e6) / 1e6 },
      ]),
    );
  }

  #sumOf(name: string): Sum | undefined {
    const key = name.length > maxNameLength ? name.slice(0, maxNameLength) : name;
    let sum = this.#sums.get(key);
    if (sum === undefined && this.#sums.size < maxNames)
      this.#sums.set(key, (sum = { calls: 0, errors: 0, seconds: 0 }));
    return sum;
  }
}

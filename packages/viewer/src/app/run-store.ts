import type { CurvePoint, RolloutRow, RunHead, RunMessage } from "../run/run.ts";
import type { RunSource } from "../source/run-source.ts";

/** The known part of an open run. Each change makes a new object. */
export interface RunState {
  readonly head: RunHead | undefined;
  /** The rows in the order of the examples, one per id. */
  readonly rows: readonly RolloutRow[];
  readonly curves: readonly CurvePoint[];
  /** Whether all rows that existed when the run was opened have arrived. */
  readonly isReady: boolean;
  readonly problem: string | undefined;
}

export const noRun: RunState = {
  head: undefined,
  rows: [],
  curves: [],
  isReady: false,
  problem: undefined,
};

/** An open run that notifies listeners of its changes, at most once per frame. */
export class RunStore {
  #state = noRun;
  readonly #rows = new Map<string, RolloutRow>();
  #isChanged = false;
  #pending: Partial<RunState> = {};
  #isPending = false;
  readonly #listeners = new Set<() => void>();
  readonly #controller = new AbortController();

  constructor(source: RunSource, run: string) {
    const { signal } = this.#controller;
    source
      .openRun(run, { signal, onMessage: (message) => this.#receive(message) })
      .catch((error: unknown) => {
        if (!signal.aborted)
          this.#set({ problem: String(error instanceof Error ? error.message : error) });
      });
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): RunState => this.#state;

  close(): void {
    this.#controller.abort();
  }

  #receive(message: RunMessage): void {
    if (message.type === "head") this.#set({ head: message.head });
    if (message.type === "ready") this.#set({ isReady: true });
    if (message.type === "curves")
      this.#set({ curves: [...this.#state.curves, ...message.points] });
    if (message.type === "reset") {
      this.#rows.clear();
      this.#set({ rows: [], curves: [] });
    }
    if (message.type === "rows") {
      for (const row of message.rows) this.#rows.set(row.id, row);
      this.#isChanged = true;
      this.#set({});
    }
  }

  #set(change: Partial<RunState>): void {
    this.#pending = { ...this.#pending, ...change };
    if (this.#isPending) return;
    this.#isPending = true;
    setTimeout(() => this.#publish(), 16);
  }

  #publish(): void {
    const rows = this.#isChanged ? { rows: [...this.#rows.values()].toSorted(byExample) } : {};
    this.#state = { ...this.#state, ...this.#pending, ...rows };
    this.#pending = {};
    this.#isPending = false;
    this.#isChanged = false;
    for (const listener of this.#listeners) listener();
  }
}

const collator = new Intl.Collator("en", { numeric: true });

function byExample(a: RolloutRow, b: RolloutRow): number {
  const [left, right] = [Number(a.example), Number(b.example)];
  const examples =
    Number.isNaN(left) || Number.isNaN(right)
      ? collator.compare(a.example, b.example)
      : left - right;
  return examples || a.rollout - b.rollout;
}

import { setImmediate as turn } from "node:timers/promises";

/** An item, and the caller that waits for its result. */
interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (cause: unknown) => void;
}

/**
 * Runs items in groups, one group after another. `run` calls `take` once it can begin: only then the group is formed, of the
 * items that wait. It returns the outcome of each of them. If `run` rejects, so do the items of the group.
 */
export function inGroups<Item, Result>({
  maxItems,
  run,
}: {
  readonly maxItems: number;
  readonly run: (take: () => readonly Item[]) => Promise<readonly PromiseSettledResult<Result>[]>;
}): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let isRunning = false;
  const runAll = async (): Promise<void> => {
    isRunning = true;
    while (waiting.length > 0) {
      await turn();
      await runGroup();
    }
    isRunning = false;
  };
  const runGroup = async (): Promise<void> => {
    let group: readonly Waiting<Item, Result>[] = [];
    const take = (): readonly Item[] => {
      group = waiting.splice(0, maxItems);
      return group.map(({ item }) => item);
    };
    try {
      const outcomes = await run(take);
      for (const [index, { resolve, reject }] of group.entries()) {
        const outcome = outcomes[index]!;
        if (outcome.status === "fulfilled") resolve(outcome.value);
        else reject(outcome.reason);
      }
    } catch (error) {
      if (group.length === 0) take();
      for (const { reject } of group) reject(error);
    }
  };
  return (item) => {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    waiting.push({ item, resolve, reject });
    if (!isRunning) void runAll();
    return promise;
  };
}

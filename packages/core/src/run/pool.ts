/**
 * Runs `work` for each item, at most `limit` at once, and yields the results as they finish. Items are read in order and only
 * when a slot is free, so they may be infinite; a slow consumer delays new work. If `items` or `work` throws, the running work
 * finishes and its results are yielded before the error. A consumer that leaves the loop early does not wait for running work.
 */
export async function* pool<Item, Result>(
  items: AsyncIterable<Item> | Iterable<Item>,
  limit: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const finished: Result[] = [];
  let running = 0;
  let isFeeding = true;
  let failure: { readonly error: unknown } | undefined;
  let wakeConsumer = (): void => {};
  let wakeFeeder = (): void => {};

  const run = async (item: Item): Promise<void> => {
    try {
      finished.push(await work(item));
    } catch (error) {
      failure ??= { error };
      isFeeding = false;
    }
    running -= 1;
    wakeFeeder();
    wakeConsumer();
  };

  const feed = async (): Promise<void> => {
    try {
      for await (const item of items) {
        if (!isFeeding) break;
        running += 1;
        void run(item);
        // oxlint-disable-next-line no-unmodified-loop-condition -- `run` and the consumer change them
        while (isFeeding && (running >= limit || finished.length >= limit))
          await new Promise<void>((resolve) => (wakeFeeder = resolve));
        if (!isFeeding) break;
      }
    } catch (error) {
      failure ??= { error };
    }
    isFeeding = false;
    wakeConsumer();
  };

  void feed();
  try {
    for (;;) {
      const batch = finished.splice(0);
      wakeFeeder();
      yield* batch;
      if (finished.length > 0) continue;
      if (!isFeeding && running === 0) break;
      await new Promise<void>((resolve) => (wakeConsumer = resolve));
    }
    if (failure !== undefined) throw failure.error;
  } finally {
    isFeeding = false;
    wakeFeeder();
  }
}

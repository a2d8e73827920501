/** Rollouts mostly wait, for servers and sandboxes that they start. */
const concurrency = 4;

/** Works on a few items at once. Returns the results in the order of the items. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results = Array.from<Result>({ length: items.length });
  const queue = items.entries();
  const lane = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  return results;
}

/** Paths of data files by split, in the order of the repository. */
export type SplitPaths = ReadonlyMap<string, readonly string[]>;

/** The words by which Python's `datasets` recognizes splits in the names of files and folders. */
const keywords = {
  train: ["train", "training"],
  validation: ["validation", "valid", "dev", "val"],
  test: ["test", "testing", "eval", "evaluation"],
};

/** Finds the split of each file by its name, else by its folders, like Python's `datasets`. Without a match, all are `train`. */
export function inferSplits(paths: readonly string[]): SplitPaths {
  const shards = groupBy(paths, shardSplit);
  if (shards.size > 0) return shards;
  const byFile = groupBy(paths, (path) => keywordSplit([path.split("/").at(-1)!]));
  if (byFile.size > 0) return byFile;
  const byFolder = groupBy(paths, (path) =>
    keywordSplit(path.split("/").slice(0, -1).toReversed()),
  );
  if (byFolder.size > 0) return byFolder;
  return paths.length === 0 ? new Map() : new Map([["train", paths]]);
}

/** `data/easy-00000-of-00002.parquet` belongs to the split `easy`. */
function shardSplit(path: string): string | undefined {
  return /(?:^|\/)data\/([^/]+)-\d{5}-of-\d{5}[^/]*$/.exec(path)?.[1];
}

function keywordSplit(names: readonly string[]): string | undefined {
  for (const name of names)
    for (const [split, words] of Object.entries(keywords))
      if (new RegExp(`(?:^|[-._ 0-9])(?:${words.join("|")})(?:[-._ 0-9]|$)`, "i").test(name))
        return split;
  return undefined;
}

function groupBy(
  paths: readonly string[],
  splitOf: (path: string) => string | undefined,
): SplitPaths {
  const groups = new Map<string, string[]>();
  for (const path of paths) {
    const split = splitOf(path);
    if (split !== undefined) groups.set(split, [...(groups.get(split) ?? []), path]);
  }
  return groups;
}

/** Counts the files that are missing, by names that contain the total: `train-00000-of-00002.parquet`. */
export function missingShards(paths: readonly string[]): number {
  const totals = new Map<string, { count: number; total: number }>();
  for (const path of paths) {
    const [, prefix = "", total = "0"] = /^(.*)-\d{5}-of-(\d{5})/.exec(path) ?? [];
    const entry = totals.get(prefix) ?? { count: 0, total: Number(total) };
    totals.set(prefix, { ...entry, count: entry.count + 1 });
  }
  let missing = 0;
  for (const { count, total } of totals.values()) missing += Math.max(0, total - count);
  return missing;
}

/** The text of each file of a folder, by its path in the folder. */
export type Files = Readonly<Record<string, string>>;

/** The end of a text does not count, because editors and models disagree about the last line break. */
function isAlike(left: Files, right: Files, path: string): boolean {
  if (!Object.hasOwn(left, path) || !Object.hasOwn(right, path)) return false;
  return left[path]?.trimEnd() === right[path]?.trimEnd();
}

/** The paths of the files that only one of two folders has, or that have another text in the other. */
function differentPaths(left: Files, right: Files): readonly string[] {
  const paths = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...paths].filter((path) => !isAlike(left, right, path));
}

/** The new text of each file that changes; `null` for a file that is removed. */
export type Changes = Readonly<Record<string, string | null>>;

/** The changes that turn one folder into another. */
export function changesBetween(before: Files, after: Files): Changes {
  const paths = differentPaths(before, after);
  return Object.fromEntries(paths.map((path) => [path, after[path] ?? null]));
}

/** The folder after the changes. */
function applyChanges(files: Files, changes: Changes): Files {
  const entries = Object.entries({ ...files, ...changes });
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => entry[1] !== null),
  );
}

/** The result of comparing a folder with the changes that a task requests. */
export interface Outcome {
  /** The share of the changes that the task asks for that were made. */
  readonly progress: number;
  /** The number of files that the task does not name, and that were changed, removed or added. */
  readonly damage: number;
}

/** Compares a folder with the initial one after the changes that a task requests. */
export function outcomeOf(actual: Files, before: Files, changes: Changes): Outcome {
  const wrong = differentPaths(actual, applyChanges(before, changes));
  const paths = Object.keys(changes);
  const missing = paths.filter((path) => wrong.includes(path));
  return {
    progress: 1 - missing.length / paths.length,
    damage: wrong.length - missing.length,
  };
}

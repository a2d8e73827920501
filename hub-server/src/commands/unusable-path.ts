/** What may be wrong with a path that somebody named, by the system's code. */
const problems: Readonly<Record<string, string>> = {
  EACCES: "this user may not use it",
  EPERM: "this user may not use it",
  EROFS: "its disk can only be read",
  ENOSPC: "its disk is full",
  ENOTDIR: "a part of it is a file, not a folder",
  EEXIST: "something else stands there",
  EISDIR: "it is a folder",
};

/** What is wrong with the path that an error of the file system names, in words; `undefined` for other errors. */
export function unusablePath(error: unknown): string | undefined {
  if (!(error instanceof Error && "code" in error && "path" in error)) return undefined;
  const problem = problems[String(error.code)];
  if (problem === undefined) return undefined;
  return `The hub cannot use ${String(error.path)}: ${problem}. Name another place, or mend this one.`;
}

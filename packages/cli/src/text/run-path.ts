import { relative } from "node:path";

import { shellArgument } from "../terminal/shell.ts";

/** Returns the path of a run as an argument of a command that is printed. */
export function pathArgument(path: string): string {
  return shellArgument(nearPath(path));
}

/** Returns a path relative to the current folder if it is inside, else unchanged. */
export function nearPath(path: string): string {
  const relativePath = relative(process.cwd(), path);
  return relativePath === "" || relativePath.startsWith("..") ? path : relativePath;
}

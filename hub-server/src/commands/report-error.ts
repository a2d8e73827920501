import { inspect } from "node:util";

import { isDiskFull } from "../platform/errors/hub-error.ts";

/** Errors with a complete message, by name, so that this module does not load the modules that throw them. */
const expectedErrors: ReadonlySet<string> = new Set([
  "CommandError",
  "SettingsError",
  "MigrationError",
  "DamagedDatabaseError",
]);

/** Reasons why a path is unusable, by system error code. */
const pathProblems: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  ENOTDIR: "a part of the path is a file, not a folder",
  EEXIST: "a file with this name exists",
  EISDIR: "the path is a folder",
};

/** Prints an error and sets the exit code: 2 if the user can fix it, 1 with a stack trace for a defect of the hub. */
export function reportError(error: unknown): void {
  const message = expectedMessage(error);
  process.stderr.write(
    message === undefined
      ? `The hub failed unexpectedly. Please report this error:\n${inspect(error)}\n`
      : `${message}\n`,
  );
  process.exitCode = message === undefined ? 1 : 2;
}

function expectedMessage(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, path } = error as NodeJS.ErrnoException;
  if (path !== undefined && code !== undefined && Object.hasOwn(pathProblems, code))
    return `The hub cannot use ${path}: ${pathProblems[code]}. Fix the path or choose another.`;
  if (isDiskFull(error))
    return "The disk is full. The data is intact: free some space, then run the command again.";
  // Node's messages about command-line options need no translation.
  const isOptionError = error instanceof TypeError && String(code).startsWith("ERR_PARSE_ARGS");
  return expectedErrors.has(error.name) || isOptionError ? error.message : undefined;
}

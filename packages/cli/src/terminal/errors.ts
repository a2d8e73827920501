import { clean, paint } from "./text.ts";

/** The command line is wrong; exit code 2. The message explains the mistake and shows the right usage. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The command line is right, but the command failed: a missing file, a server's refusal; exit code 1. */
export class FailureError extends Error {
  override readonly name = "FailureError";
}

/** Prints an error on stderr and returns the exit code. Only an unexpected error has a stack trace. */
export function reportError(error: unknown): number {
  // Compares names: an `instanceof` would load core and hub-client, and miss errors of other copies of these packages.
  const name = error instanceof Error ? error.name : "";
  const message = error instanceof Error ? error.message : "";
  if (["UsageError", "ConfigError", "CLIError"].includes(name)) return print(message, 2);
  // The message comes from a server.
  if (name === "HubRequestError") return print(clean(message) + hint(error), 1);
  if (["FailureError", "RolloutError", "WriteError"].includes(name)) return print(message, 1);
  if (isFileError(error))
    return print(`${message}\nCheck the path, its permissions and the disk.`, 1);
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return print(`Unexpected error. This is a bug in envs; please report it.\n${detail}`, 1);
}

/** Errors of the file system that our code cannot prevent. ENOENT is not one of them, because our code may have lost the file. */
const fileErrors = new Set(
  "EACCES EDQUOT EFBIG EIO EISDIR EMFILE ENAMETOOLONG ENFILE ENOSPC ENOTDIR EPERM EROFS".split(" "),
);

function isFileError(error: unknown): boolean {
  return (
    error instanceof Error &&
    "syscall" in error &&
    "code" in error &&
    fileErrors.has(String(error.code))
  );
}

/** The command that explains the error's code. The code comes from a server, so it may be any text. */
function hint(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return /^[a-z][a-z-]{1,40}$/.test(code) ? `\nSee: envs explain ${code}` : "";
}

function print(message: string, exitCode: number): number {
  process.stderr.write(`${paint("red", "✗")} ${message}\n`);
  return exitCode;
}

import { messageOf } from "@envs/core/engine";

const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EDQUOT: "the disk quota is used up",
  EEXIST: "a file has this name",
  EFBIG: "the file would exceed the limit of this system or process",
  EMFILE: "too many open files",
  ENOENT: "the file system does not allow it",
  ENOSPC: "the disk is full",
  ENOTDIR: "a part of the path is a file",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
};

/** The system could not write a file: a full disk, a read-only or wrong folder. The message has the path and the reason. */
export class WriteError extends Error {
  override readonly name = "WriteError";

  /** `attempt` is what failed, with the path. `advice` is what to do. */
  constructor(attempt: string, cause: unknown, advice = "") {
    super(`Cannot ${attempt}: ${reasonOf(cause)}.${advice === "" ? "" : ` ${advice}`}`, { cause });
  }
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const reason = reasons[code];
  return reason === undefined ? messageOf(error) : `${reason} (${code})`;
}

import { HubError } from "./hub-error.ts";

/** Codes of a full disk or an exhausted quota: the system's, and PostgreSQL's. */
const codes: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "53100"]);

/** Whether an error of the file system or of PostgreSQL reports a full disk. */
export function isDiskFull(error: unknown): boolean {
  return codes.has((error as { readonly code?: unknown } | undefined)?.code);
}

/** The error of a change for which no space is left. */
export function diskFull(): HubError {
  return new HubError("disk-full", {
    message:
      "The hub has no space left, so it accepts no changes; packages can still be installed. Ask its operator to free space, then retry.",
  });
}

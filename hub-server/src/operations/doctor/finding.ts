/** The result of one check of `envs-hub doctor`. */
export interface Finding {
  /** The subject, such as `database clock`. */
  readonly check: string;
  /** An `error` prevents the hub from working, or loses or reveals data. */
  readonly level: "ok" | "warning" | "error";
  readonly message: string;
  /** What to do, unless the level is `ok`. */
  readonly remedy?: string | undefined;
}

export function ok(check: string, message: string): Finding {
  return { check, level: "ok", message };
}

export function warning(check: string, message: string, remedy: string): Finding {
  return { check, level: "warning", message, remedy };
}

export function failure(check: string, message: string, remedy: string): Finding {
  return { check, level: "error", message, remedy };
}

/** Runs a check. An error that it throws is a finding. */
export async function attempt(
  check: string,
  remedy: string,
  run: () => Promise<Finding | readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return [await run()].flat();
  } catch (error) {
    return [failure(check, reasonOf(error), remedy)];
  }
}

/** The message of an error and of its cause, which names the system error. */
function reasonOf(error: unknown): string {
  const { message, cause, name } = error as Error;
  if (name === "TimeoutError") return "no response within 10 seconds";
  const reason = cause instanceof Error ? `${message} ${cause.message}` : message;
  return reason.trim() === "" ? name : reason;
}

import { paint } from "./render/paint.ts";
import { clean } from "./render/wrap.ts";

/** The command line is held wrong: the message says what is wrong and what to write instead. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Something outside the command line stands in the way. */
export class FailureError extends Error {
  override readonly name = "FailureError";
}

/** Tells the person what went wrong and chooses the exit code. Only a defect of ours shows a stack trace. */
export function report(error: unknown): number {
  // By name, so that an error does not load the whole of core, and another copy's errors count too.
  const name = error instanceof Error ? error.name : "";
  const message = error instanceof Error ? error.message : "";
  if (name === "UsageError" || name === "ConfigError") return say(message, 2);
  // A hub's own words.
  if (name === "HubRequestError") return say(clean(message), 1);
  if (["FailureError", "RolloutError"].includes(name)) return say(message, 1);
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return say(`This is a defect of envs, please report it.\n${detail}`, 1);
}

function say(message: string, code: number): number {
  process.stderr.write(`${paint("red", "✗")} ${message}\n`);
  return code;
}

import { messageOf } from "@envs/core/engine";

import { QueueUnavailableError } from "../queue.ts";

/** Connection exceptions, a transaction that idled or met another, a server that stops or starts, and one with too many connections. */
const unavailableStates = /^(?:08|25P03|40|57P0|53)/;
const lostConnection =
  /ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|ENOTFOUND|Connection terminated|connection error|trying to connect|Query read timeout/;

/** Turns errors after which a call may be repeated into {@link QueueUnavailableError}s. */
export async function whileAvailable<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof QueueUnavailableError || !isUnavailable(error)) throw error;
    throw new QueueUnavailableError(`Cannot reach the queue: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // Node tries each address of a host, and reports the failures together.
  if (error instanceof AggregateError) return error.errors.some(isUnavailable);
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  const isState = /^[0-9A-Z]{5}$/.test(code) && code !== "EPIPE";
  return isState ? unavailableStates.test(code) : lostConnection.test(`${code} ${error.message}`);
}

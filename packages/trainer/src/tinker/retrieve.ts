import type * as z from "zod";

import { outcome, readAnswer } from "./answers.ts";
import type { Client } from "./client.ts";
import { failure, ServiceError } from "./service-error.ts";
import { sleep } from "./sleep.ts";

/** A result that the service owes. */
export interface Owed<Result> {
  readonly requestId: string;
  /** What was asked for: `forward_backward`. */
  readonly route: string;
  readonly answer: z.ZodType<Result>;
  /** How long to wait for it, in milliseconds. */
  readonly timeout: number;
  readonly signal: AbortSignal;
}

/** Waits until a result is there. Services hold each request for a while before they say “not yet”. */
export async function retrieve<Result>(client: Client, owed: Owed<Result>): Promise<Result> {
  const { requestId, route, answer, timeout, signal } = owed;
  const began = performance.now();
  for (let round = 0; ; round += 1) {
    const asked = performance.now();
    const reply = await client
      .poll({
        route: "retrieve_future",
        body: { request_id: requestId, allow_metadata_only: false },
        answer: outcome,
        signal,
      })
      .catch((error: unknown) => {
        // SkyRL tells of a failed operation with a status, Tinker with a body.
        const isFailure = error instanceof ServiceError && error.status === 400;
        throw isFailure ? failure(route, error.words) : error;
      });
    if (reply?.error) throw failure(route, reply.error);
    if (reply !== undefined && reply.type !== "try_again") return readAnswer(answer, reply, route);
    if (performance.now() - began > timeout)
      throw new ServiceError(
        `The service has not done ${route} within ${timeout / 1000} s. Is it overloaded, or out of capacity? Raise timeout to wait longer, and start again from the last checkpoint.`,
      );
    const pause = Math.min(1000, 10 * 2 ** round) - (performance.now() - asked);
    if (pause > 0) await sleep(pause, signal);
  }
}

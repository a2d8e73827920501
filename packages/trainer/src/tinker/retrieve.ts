import type * as z from "zod";

import { outcome } from "./answers.ts";
import type { Client } from "./client.ts";
import { failure, ServiceError } from "./service-error.ts";

/** A result that the service owes. */
export interface Owed<Result> {
  readonly requestId: string;
  /** What was asked for: `forward_backward`. */
  readonly route: string;
  readonly answer: z.ZodType<Result>;
  /** How long to wait for it, in milliseconds. */
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
}

/** Waits until a result is there. The service holds each request for a while before it says “not yet”. */
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
        ...(signal === undefined ? {} : { signal }),
      })
      .catch((error: unknown) => {
        throw error instanceof ServiceError && error.status === 400
          ? failure(route, error.message)
          : error;
      });
    if (reply !== undefined && "error" in reply) throw failure(route, reply.error);
    if (reply !== undefined && "result" in reply) return read(reply.result, owed);
    if (performance.now() - began > timeout)
      throw new ServiceError(
        `The service has not done ${route} within ${timeout / 1000} s. Is it overloaded, or out of capacity? Raise timeout to wait longer; training goes on from the last checkpoint.`,
      );
    const pause = Math.min(1000, 10 * 2 ** round) - (performance.now() - asked);
    if (pause > 0) await sleep(pause, signal);
  }

  function read(result: unknown, { route: what }: Owed<Result>): Result {
    const parsed = answer.safeParse(result);
    if (parsed.success) return parsed.data;
    throw new ServiceError(`x ${what}`);
  }
}

import { sleep } from "@envs/core/engine";
import type * as z from "zod";

import { parseResponse, resultStatus } from "./responses.ts";
import type { ServiceClient } from "./service-client.ts";
import { operationError, ServiceError } from "./service-error.ts";

/** The result of an operation that the service has accepted. */
export interface PendingResult<Result> {
  readonly requestId: string;
  /** The operation's route: `forward_backward`. */
  readonly route: string;
  readonly response: z.ZodType<Result>;
  /** Decodes a result that the service sends as protobuf to the form that it has in JSON. */
  readonly decode?: ((bytes: Uint8Array) => unknown) | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Polls the service until the result is available. Services delay the response to a poll while the result is pending. */
export async function retrieveResult<Result>(
  client: ServiceClient,
  { requestId, route, response, decode, timeoutMs, signal }: PendingResult<Result>,
): Promise<Result> {
  const start = performance.now();
  for (let round = 0; ; round += 1) {
    const pollStart = performance.now();
    const body = await client
      .poll({
        route: "retrieve_future",
        body: { request_id: requestId, allow_metadata_only: false },
        response: resultStatus,
        decode,
        signal,
      })
      .catch((error: unknown) => {
        // SkyRL reports a failed operation with a status code, Tinker with a body.
        const isFailure = error instanceof ServiceError && error.status === 400;
        throw isFailure ? operationError(route, error.detail) : error;
      });
    if (body?.error) throw operationError(route, body.error);
    if (body !== undefined && body.type !== "try_again")
      return parseResponse(response, body, route);
    if (performance.now() - start > timeoutMs)
      throw new ServiceError(
        `The service did not finish ${route} within ${timeoutMs / 1000} s; it may be overloaded. Raise timeout to wait longer, and resume from the last checkpoint.`,
      );
    const pause = Math.min(1000, 10 * 2 ** round) - (performance.now() - pollStart);
    if (pause > 0) await sleep(pause, signal);
  }
}

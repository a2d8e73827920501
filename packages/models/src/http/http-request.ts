import { onAbort } from "@envs/core/engine";

import { type ResponseHeaders, ServerError } from "./server-error.ts";

/** A POST request with a JSON body. */
export interface HttpRequest {
  readonly url: URL;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Its text, or the parts of its bytes. */
  readonly body: string | readonly Uint8Array<ArrayBuffer>[];
  readonly signal: AbortSignal;
  /** The time limit of the request with its response, in milliseconds. */
  readonly timeout: number;
  /** The server's address for messages. */
  readonly server: string;
  /** Receives the text of a stream of events as it comes. The text of the response is then empty. */
  readonly onText?: ((text: string) => void) | undefined;
}

/** A complete response. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly text: string;
}

/** The longest delay of a timer in milliseconds, 24 days. */
const maxDelay = 2 ** 31 - 1;

/** Runs a request with a signal that is aborted by its caller and by its timeout. */
export async function withTimeout(
  { signal, timeout, server }: HttpRequest,
  work: (signal: AbortSignal) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const controller = new AbortController();
  const expire = (): void =>
    controller.abort(
      new ServerError("transient", `${server} did not respond completely within ${timeout} ms.`),
    );
  const timer = timeout <= maxDelay ? setTimeout(expire, timeout) : undefined;
  const unsubscribe = onAbort(signal, () => controller.abort(signal.reason));
  try {
    return await work(controller.signal);
  } catch (error) {
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    clearTimeout(timer);
    unsubscribe();
  }
}

import { request } from "undici";

/** What of `fetch` the `openai` SDK uses for requests that are not streamed. */
interface LeanInit {
  readonly method?: string;
  readonly headers?: Headers;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/**
 * A `fetch` without the streams and copies of the standard's, which cost more than all the rest of a turn. Requests go
 * to undici's global dispatcher, the one that Node's own `fetch` uses: proxies and agents set there hold here too.
 */
export const leanFetch: typeof fetch | undefined = (async (
  url: string | URL,
  init: LeanInit = {},
) => {
  const { method = "GET", headers = new Headers(), body = null, signal = null } = init;
  const response = await request(url, {
    method,
    headers: Object.fromEntries(headers),
    body,
    signal,
    // Five minutes by default: a model may think longer, and the client has a time limit of its own.
    headersTimeout: 0,
  });
  const status = response.statusCode;
  return {
    url: String(url),
    status,
    ok: status >= 200 && status < 300,
    headers: new Headers(
      Object.entries(response.headers).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, String(value)] as [string, string]],
      ),
    ),
    body: null,
    text: () => response.body.text(),
    json: () => response.body.json(),
  };
}) as unknown as typeof fetch;

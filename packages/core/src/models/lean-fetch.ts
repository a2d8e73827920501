import { request } from "undici";

/** The options of `fetch` that the `openai` SDK sets for requests without streaming. */
interface LeanInit {
  readonly method?: string;
  readonly headers?: Headers;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/**
 * A `fetch` without the streams and copies of the standard one, which take longer than the rest of a turn. Requests go to
 * undici's global dispatcher, like those of Node's own `fetch`, so its proxies and agents apply here too.
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
    // The default is five minutes. A model may take longer, and the client has its own timeout.
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

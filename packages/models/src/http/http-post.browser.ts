import { type HttpRequest, type HttpResponse, withTimeout } from "./http-request.ts";

/** Sends a request with the `fetch` of the platform, which decodes bodies, follows redirects and limits neither. */
export function httpPost(request: HttpRequest): Promise<HttpResponse> {
  const { url, headers } = request;
  const body = typeof request.body === "string" ? request.body : new Blob([...request.body]);
  return withTimeout(request, async (signal) => {
    const response = await fetch(url, { method: "POST", headers, body, signal });
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      text: await response.text(),
    };
  });
}

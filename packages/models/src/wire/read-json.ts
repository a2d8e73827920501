import { parseJson } from "@envs/core/engine";

import { errorDetail } from "../http/error-detail.ts";
import { pageExcerpt } from "../http/excerpt.ts";
import type { HttpResponse } from "../http/http-request.ts";
import { type ServerContext, ServerError, serverError } from "../http/server-error.ts";

/** Returns the JSON of a successful response. Throws a `ServerError` that explains any other response. */
export function readJson({ status, headers, text }: HttpResponse, context: ServerContext): unknown {
  const json = parseJson(text);
  if (status < 200 || status >= 300) {
    const detail = errorDetail(json) ?? { message: pageExcerpt(text) };
    throw serverError({ ...detail, status }, context, headers);
  }
  if (json !== undefined) return json;
  const { server } = context;
  if (/^\s*(?:data|event|id|retry)?:/.test(text))
    throw new ServerError(
      "permanent",
      `${server} streams its response, although the request does not ask for a stream. Turn streaming off in the server or its proxy.`,
    );
  const problem = text.trim() === "" ? "is empty" : `is not JSON: ${pageExcerpt(text)}`;
  throw new ServerError("transient", `The response of ${server} ${problem}`, { headers });
}

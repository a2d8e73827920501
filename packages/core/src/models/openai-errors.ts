import { isRolloutError, messageOf } from "../errors.ts";
import { isOverflow } from "./overflow.ts";

/** What a failed request means for the rollout and its run. */
export interface Explanation {
  readonly message: string;
  /** A retry may succeed. */
  readonly isTransient: boolean;
  /** Every other rollout will fail the same way. */
  readonly isFatal: boolean;
  readonly isOverflow: boolean;
  readonly headers: Headers | undefined;
}

interface RequestContext {
  readonly name: string;
  readonly baseURL: string | undefined;
  /** The server has responded before, so its address is correct and network errors are transient. */
  readonly hasResponded: boolean;
}

/** Codes of connections that could not be established. ECONNRESET is not one of them: the server was reached. */
const unreachable = /^(ECONNREFUSED|ENOTFOUND|EAI_|EHOST|ENET|UND_ERR_CONNECT)/;

/** Classifies an error of the `openai` client, and explains it with its cause and remedy. */
export function explain(
  error: unknown,
  { name, baseURL, hasResponded }: RequestContext,
): Explanation {
  const { status, headers, code } = fieldsOf(error);
  const server = baseURL ?? "the API";
  const detail = messageOf(error);
  const explanation = (
    message: string,
    kind: "transient" | "fatal" | "overflow" | "permanent",
  ): Explanation => ({
    message,
    headers,
    isTransient: kind === "transient",
    isFatal: kind === "fatal",
    isOverflow: kind === "overflow",
  });

  if (status === undefined) {
    if (isRolloutError(error)) return explanation(detail, "transient");
    const reason = networkReason(error);
    if (reason !== undefined && !hasResponded)
      return explanation(
        `Cannot connect to ${server} (${reason}). Check that the server is running and that the base URL is correct.`,
        "fatal",
      );
    return explanation(`The request to ${server} failed: ${reason ?? detail}`, "transient");
  }
  if (status === 401 || status === 403)
    return explanation(
      `${server} rejected the API key (${detail}). Check the key, and that it has access to ${name}.`,
      "fatal",
    );
  if (status === 404)
    return explanation(
      `${server} has no model ${name}, or no chat completions at this address (${detail}). Check the model's name, and that the base URL ends in /v1.`,
      "fatal",
    );
  if (status === 429 && code === "insufficient_quota")
    return explanation(
      `The account at ${server} has exceeded its quota (${detail}). Add credit, or use another key.`,
      "fatal",
    );
  if (isOverflow(status, detail))
    return explanation(`The conversation exceeds the context of ${name}: ${detail}`, "overflow");
  if (status === 408 || status === 409 || status === 429 || status >= 500)
    return explanation(`${server} responded ${detail}`, "transient");
  return explanation(`${server} rejected the request: ${detail}`, "permanent");
}

function fieldsOf(error: unknown): {
  status: number | undefined;
  headers: Headers | undefined;
  code: string | undefined;
} {
  const { status, headers, code } = (error ?? {}) as Partial<Record<string, unknown>>;
  return {
    status: typeof status === "number" ? status : undefined,
    headers: headers instanceof Headers ? headers : undefined,
    code: typeof code === "string" ? code : undefined,
  };
}

/** The system's code of a connection that could not be established, such as ECONNREFUSED. */
function networkReason(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = "code" in cause ? cause.code : undefined;
    if (typeof code === "string" && unreachable.test(code)) return code;
  }
  return undefined;
}

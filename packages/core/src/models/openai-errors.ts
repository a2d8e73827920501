import { isRolloutError, messageOf } from "../errors.ts";
import { isOverflow } from "./overflow.ts";

/** What a failed request means to whoever runs the rollout. */
export interface Explanation {
  readonly message: string;
  /** Worth another try. */
  readonly isTransient: boolean;
  /** Every other rollout will fail the same way. */
  readonly isFatal: boolean;
  readonly isOverflow: boolean;
  readonly headers: Headers | undefined;
}

interface Circumstances {
  readonly name: string;
  readonly baseURL: string | undefined;
  /** The server has answered before, so the address is right and trouble will pass. */
  readonly hasAnswered: boolean;
}

/** A connection that breaks (ECONNRESET) is not among them: somebody was there. */
const unreachable = /^(ECONNREFUSED|ENOTFOUND|EAI_|EHOST|ENET|UND_ERR_CONNECT)/;

/** Says what went wrong, why, and what to do. Works on whatever the client threw. */
export function explain(
  error: unknown,
  { name, baseURL, hasAnswered }: Circumstances,
): Explanation {
  const { status, headers, code } = fieldsOf(error);
  const where = baseURL ?? "the API";
  const detail = messageOf(error);
  const make = (
    message: string,
    kind: "transient" | "fatal" | "overflow" | "final",
  ): Explanation => ({
    message,
    headers,
    isTransient: kind === "transient",
    isFatal: kind === "fatal",
    isOverflow: kind === "overflow",
  });

  if (status === undefined) {
    if (isRolloutError(error)) return make(detail, "transient");
    const reason = networkReason(error);
    if (reason !== undefined && !hasAnswered)
      return make(
        `Nothing answers at ${where} (${reason}). Is the server running, and is the base URL right?`,
        "fatal",
      );
    return make(`The request to ${where} failed: ${reason ?? detail}`, "transient");
  }
  if (status === 401 || status === 403)
    return make(
      `${where} refused the key (${detail}). Check the key and that it may use ${name}.`,
      "fatal",
    );
  if (status === 404)
    return make(
      `${where} does not know the model ${name}, or has no chat completions there (${detail}). Check the model's name and that the base URL ends in /v1.`,
      "fatal",
    );
  if (status === 429 && code === "insufficient_quota")
    return make(`The account at ${where} has no quota left (${detail}).`, "fatal");
  if (isOverflow(status, detail))
    return make(`The conversation no longer fits ${name}: ${detail}`, "overflow");
  if (status === 408 || status === 409 || status === 429 || status >= 500)
    return make(`${where} answered ${detail}`, "transient");
  return make(`${where} refused the request: ${detail}`, "final");
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

/** The system's code at the root of a connection that could not be made, such as ECONNREFUSED. */
function networkReason(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = "code" in cause ? cause.code : undefined;
    if (typeof code === "string" && unreachable.test(code)) return code;
  }
  return undefined;
}

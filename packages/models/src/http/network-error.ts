import { messageOf } from "@envs/core/engine";

import { ServerError } from "./server-error.ts";

interface NetworkContext {
  readonly server: string;
  /** The server has responded before, so its address is correct and the failure is transient. */
  readonly hasResponded: boolean;
}

/** Codes of connections that could not be established. ECONNRESET is not included, because the server was reached. */
const unreachable = /^(?:ECONNREFUSED|ENOTFOUND|EAI_|EHOST|ENET|UND_ERR_CONNECT)/;

/** Codes of connections that closed before the response. */
const closed = /^(?:UND_ERR_SOCKET|ECONNRESET|EPIPE)$/;

/** Explains why a request got no response. */
export function networkError(
  error: unknown,
  { server, hasResponded }: NetworkContext,
): ServerError {
  if (error instanceof ServerError) return error;
  const reason = codes(error).find((code) => unreachable.test(code));
  const detail = messageOf(error);
  const options = { cause: error };
  if (reason !== undefined && !hasResponded)
    return new ServerError(
      "unreachable",
      `Cannot connect to ${server} (${reason}). Check that the server is running and that the base URL is correct.`,
      options,
    );
  if (/Proxy response \(407\)/.test(detail))
    return new ServerError(
      "fatal",
      `The HTTP proxy between this machine and ${server} requires credentials (407). Add them to the proxy's URL.`,
      options,
    );
  const isInvalid = codes(error).includes("UND_ERR_INVALID_ARG");
  return new ServerError(
    isInvalid ? "fatal" : "transient",
    `The request to ${server} failed: ${reason ?? detail}`,
    options,
  );
}

/**
 * Whether the connection closed before the response began. Servers close idle connections, and may do so at the moment in
 * which the next request is sent.
 */
export function isClosedConnection(error: unknown): boolean {
  return codes(error).some((code) => closed.test(code));
}

/** The codes of an error and its causes, such as ECONNREFUSED. */
function codes(error: unknown): readonly string[] {
  const found: string[] = [];
  for (let cause = error; cause instanceof Error && found.length < 8; cause = cause.cause) {
    const code = "code" in cause ? cause.code : undefined;
    found.push(typeof code === "string" ? code : "");
  }
  return found;
}

import * as z from "zod";

import { publicMessage, ServeError } from "./errors.ts";
import type { Sessions } from "./sessions/sessions.ts";

export const rpcId = z.union([z.string(), z.number(), z.null()]);

/** A JSON-RPC response: a result or an error. */
export const rpcResponse = z.object({
  jsonrpc: z.literal("2.0"),
  id: rpcId,
  result: z.unknown().optional(),
  error: z.object({ code: z.int(), message: z.string(), data: z.unknown().optional() }).optional(),
});

export type RpcResponse = z.output<typeof rpcResponse>;

/** JSON-RPC's error codes. */
export const rpcCodes = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  internal: -32603,
  server: -32000,
};

/** An error with a JSON-RPC code. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** The response to a body that is not JSON. */
export const parseErrorResponse: RpcResponse = {
  jsonrpc: "2.0",
  id: null,
  error: { code: rpcCodes.parse, message: "The request is not valid JSON." },
};

/** The response to a body that is not a JSON-RPC request. */
export function invalidRequestResponse(reason: string): RpcResponse {
  const error = { code: rpcCodes.request, message: `Invalid JSON-RPC request: ${reason}` };
  return { jsonrpc: "2.0", id: null, error };
}

/** Parses the parameters of a request. Throws an {@link RpcError}. */
export function parseParams<Schema extends z.ZodType>(
  schema: Schema,
  params: unknown,
): z.output<Schema> {
  const { success, data, error } = schema.safeParse(params);
  if (success) return data;
  throw new RpcError(rpcCodes.params, `Invalid parameters: ${z.prettifyError(error)}`);
}

/** The codes of errors in the client's parameters. */
const parameterErrors: ReadonlySet<ServeError["code"]> = new Set([
  "unknown-split",
  "unknown-task",
  "unknown-seat",
  "unknown-tool",
  "invalid-action",
]);

/** The error of a JSON-RPC response. */
export function rpcErrorOf(
  error: unknown,
  { sessions, log }: { readonly sessions: Sessions; readonly log: (error: unknown) => void },
): NonNullable<RpcResponse["error"]> {
  if (error instanceof RpcError)
    return { code: error.code, message: error.message, data: error.data };
  const message = publicMessage(error);
  if (!(error instanceof ServeError)) {
    log(error);
    return { code: rpcCodes.internal, message };
  }
  if (parameterErrors.has(error.code)) return { code: rpcCodes.params, message };
  if (error.code !== "capacity") return { code: rpcCodes.server, message };
  const data = { active_sessions: sessions.count, max_sessions: sessions.limits.maxSessions };
  return { code: rpcCodes.server, message, data };
}

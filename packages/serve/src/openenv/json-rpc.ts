import * as z from "zod";

import {
  rpcCodes,
  RpcError,
  rpcErrorOf as commonErrorOf,
  rpcId,
  type RpcResponse,
} from "../mcp/json-rpc.ts";
import { parse, ValidationError } from "./validation.ts";

/** A JSON-RPC request. */
const rpcRequest = z.strictObject({
  jsonrpc: z.literal("2.0"),
  method: z.string(),
  params: z.record(z.string(), z.unknown()).default({}),
  id: rpcId.default(null),
});

/** Throws an {@link RpcError}. */
export function readRpcRequest(request: unknown): z.output<typeof rpcRequest> {
  try {
    return parse(rpcRequest, request);
  } catch (error) {
    const reason = error instanceof ValidationError ? error.message : "It cannot be parsed.";
    throw new RpcError(rpcCodes.request, `Invalid JSON-RPC request: ${reason}`);
  }
}

/** The error of a JSON-RPC response. */
export function rpcErrorOf(
  error: unknown,
  context: Parameters<typeof commonErrorOf>[1],
): NonNullable<RpcResponse["error"]> {
  return error instanceof ValidationError
    ? { code: rpcCodes.params, message: error.message, data: error.issues }
    : commonErrorOf(error, context);
}

import * as z from "zod";

import type { ServedEnvironment } from "../context.ts";
import { quote } from "../errors.ts";
import { rpcCodes, RpcError, rpcErrorOf, rpcId, type RpcResponse } from "../json-rpc.ts";
import { listedTool } from "../served-tools.ts";
import type { Sessions } from "../sessions/sessions.ts";
import type { OpenenvSession } from "./openenv-session.ts";
import { findSession, openSession } from "./openenv-sessions.ts";
import { parse, ValidationError } from "./validation.ts";

/** A request in OpenEnv's dialect, which rejects other fields and treats a missing id as `null`. */
const rpcRequest = z.strictObject({
  jsonrpc: z.literal("2.0"),
  method: z.string(),
  params: z.record(z.string(), z.unknown()).default({}),
  id: rpcId.default(null),
});

const sessionId = z.string().min(1);
const callParams = z.strictObject({
  name: z.string().min(1),
  arguments: z.record(z.string(), z.unknown()).nullish(),
  session_id: sessionId.nullish(),
});
const listParams = z.looseObject({ session_id: sessionId.nullish() });
const closeParams = z.strictObject({ session_id: sessionId });

/** The source of an MCP request. */
export interface McpCaller {
  readonly environment: ServedEnvironment;
  readonly sessions: Sessions;
  /** The session of the socket that sent the request. */
  readonly socketSession?: OpenenvSession | undefined;
  /** Logs errors that clients must not see. */
  readonly log: (error: unknown) => void;
}

/** Answers a JSON-RPC request of OpenEnv's dialect of MCP. Does not throw. */
export async function answerMcp(request: unknown, caller: McpCaller): Promise<RpcResponse> {
  let id: RpcResponse["id"] = null;
  try {
    const { method, params, id: requestId } = readRequest(request);
    id = requestId;
    return { jsonrpc: "2.0", id, result: await execute(method, params, caller) };
  } catch (error) {
    const rpcError =
      error instanceof ValidationError
        ? new RpcError(rpcCodes.params, error.message, error.issues)
        : error;
    return { jsonrpc: "2.0", id, error: rpcErrorOf(rpcError, caller) };
  }
}

/** Throws an {@link RpcError}. */
function readRequest(request: unknown): z.output<typeof rpcRequest> {
  try {
    return parse(rpcRequest, request);
  } catch (error) {
    const reason = error instanceof ValidationError ? error.message : "It cannot be parsed.";
    throw new RpcError(rpcCodes.request, `Invalid JSON-RPC request: ${reason}`);
  }
}

async function execute(method: string, params: unknown, caller: McpCaller): Promise<unknown> {
  const { environment, sessions, socketSession } = caller;
  switch (method) {
    case "tools/list": {
      const { session_id } = parse(listParams, params);
      const session = session_id ? getSession(session_id, caller) : socketSession;
      return {
        tools: (session?.tools ?? environment.tools).specs.map(listedTool),
      };
    }
    case "tools/call":
      return callTool(parse(callParams, params), caller);
    case "openenv/session/create":
      return {
        session_id: (socketSession ?? openSession(environment, sessions)).session.id,
      };
    case "openenv/session/close":
      return closeSession(parse(closeParams, params).session_id, caller);
    default:
      throw new RpcError(rpcCodes.method, `Unknown method ${quote(method)}.`);
  }
}

function getSession(
  id: string | null | undefined,
  { environment, sessions, socketSession }: McpCaller,
): OpenenvSession {
  if (socketSession !== undefined && (!id || id === socketSession.session.id)) return socketSession;
  if (!id)
    throw new RpcError(
      rpcCodes.params,
      "A tool call needs a session. Create one with openenv/session/create, reset it over /ws, and send its session_id.",
    );
  const session = findSession(environment, sessions, id);
  if (session !== undefined) return session;
  throw new RpcError(rpcCodes.params, `There is no session ${quote(id)}. Create one first.`);
}

async function callTool(
  { name, arguments: input, session_id }: z.output<typeof callParams>,
  caller: McpCaller,
): Promise<unknown> {
  const session = getSession(session_id, caller);
  const stepResult = await session.step({
    type: "call_tool",
    tool_name: name,
    arguments: input ?? {},
  });
  const { result, error } = stepResult.observation;
  if (error) throw new RpcError(rpcCodes.params, error.message, stepResult);
  // Clients return `data` as the tool's result. MCP has no field for the reward, so it is in `structured_content`.
  return {
    content: [{ type: "text", text: result }],
    data: result,
    structured_content: stepResult,
    is_error: false,
  };
}

async function closeSession(id: string, caller: McpCaller): Promise<unknown> {
  const { environment, sessions, socketSession, log } = caller;
  if (socketSession?.session.id === id)
    throw new RpcError(rpcCodes.request, "This session ends with its socket. Close the socket.");
  const session = getSession(id, { environment, sessions, log });
  if (session.isAttached) {
    session.isClosing = true;
    return { session_id: id, closed: false, closing: true };
  }
  await sessions.close(session.session);
  return { session_id: id, closed: true };
}

import * as z from "zod";

import type { Served } from "../context.ts";
import { publicMessage, ServeError } from "../failure.ts";
import { quoted } from "../quoted.ts";
import type { Sessions } from "../sessions.ts";
import type { Game } from "./game.ts";
import { findGame, openGame } from "./games.ts";
import { InvalidError, read } from "./invalid.ts";

const id = z.union([z.string(), z.number(), z.null()]);
const object = z.record(z.string(), z.unknown());
const sessionId = z.string().min(1);

/** A request in JSON-RPC. */
export const rpcRequest = z.strictObject({
  jsonrpc: z.literal("2.0"),
  method: z
    .string()
    .describe("tools/list, tools/call, openenv/session/create or openenv/session/close"),
  params: object.default({}),
  id: id.default(null),
});

/** An answer in JSON-RPC: a result or an error. */
export const rpcResponse = z.object({
  jsonrpc: z.literal("2.0"),
  id,
  result: z.unknown().optional(),
  error: z.object({ code: z.int(), message: z.string(), data: z.unknown().optional() }).optional(),
});

export type RpcResponse = z.output<typeof rpcResponse>;

/** JSON-RPC's numbers of what went wrong. */
const rpcCodes = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  internal: -32603,
  server: -32000,
};

const callParams = z.strictObject({
  name: z.string().min(1),
  arguments: object.nullish(),
  session_id: sessionId.nullish(),
});
const listParams = z.looseObject({ session_id: sessionId.nullish() });
const closeParams = z.strictObject({ session_id: sessionId });

/** Where a request came from. */
export interface McpCaller {
  readonly served: Served;
  readonly sessions: Sessions;
  /** The session of the socket that it came through. */
  readonly bound?: Game;
  /** Takes what must not be told. */
  readonly log: (error: unknown) => void;
}

class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Answers a request in JSON-RPC. It never throws. */
export async function answerMcp(request: unknown, caller: McpCaller): Promise<RpcResponse> {
  let id: RpcResponse["id"] = null;
  try {
    const { method, params, id: asked } = readRequest(request);
    id = asked;
    return { jsonrpc: "2.0", id, result: await run(method, params, caller) };
  } catch (error) {
    return { jsonrpc: "2.0", id, error: errorOf(error, caller) };
  }
}

/** An answer to what is not JSON. */
export const notJson: RpcResponse = {
  jsonrpc: "2.0",
  id: null,
  error: { code: rpcCodes.parse, message: "The request is not JSON." },
};

/** An answer to what is no request, for this reason. */
export function refusedRequest(reason: string): RpcResponse {
  const error = { code: rpcCodes.request, message: `This is no JSON-RPC request: ${reason}` };
  return { jsonrpc: "2.0", id: null, error };
}

function readRequest(request: unknown) {
  try {
    return read(rpcRequest, request);
  } catch (error) {
    throw new RpcError(rpcCodes.request, `This is no JSON-RPC request: ${publicReason(error)}`);
  }
}

async function run(method: string, params: unknown, caller: McpCaller): Promise<unknown> {
  switch (method) {
    case "tools/list": {
      const { session_id } = read(listParams, params);
      if (session_id) gameOf(session_id, caller);
      return {
        tools: caller.served.tools.specs.map(({ name, description, parameters }) => ({
          name,
          description,
          inputSchema: parameters,
        })),
      };
    }
    case "tools/call":
      return call(read(callParams, params), caller);
    case "openenv/session/create":
      return { session_id: (caller.bound ?? openGame(caller.served, caller.sessions)).session.id };
    case "openenv/session/close":
      return close(read(closeParams, params).session_id, caller);
    default:
      throw new RpcError(rpcCodes.method, `There is no method named ${quoted(method)}.`);
  }
}

function gameOf(id: string | null | undefined, { served, sessions, bound }: McpCaller): Game {
  if (bound !== undefined && (!id || id === bound.session.id)) return bound;
  if (!id)
    throw new RpcError(
      rpcCodes.params,
      "A tool needs a session: create one by openenv/session/create, reset it over /ws, and send its session_id.",
    );
  const found = findGame(served, sessions, id);
  if (found !== undefined) return found;
  throw new RpcError(rpcCodes.params, `There is no session ${quoted(id)} here.`);
}

async function call(
  { name, arguments: input, session_id }: z.output<typeof callParams>,
  caller: McpCaller,
): Promise<unknown> {
  const game = gameOf(session_id, caller);
  const answer = await game.step({ type: "call_tool", tool_name: name, arguments: input ?? {} });
  const { result, error } = answer.observation;
  if (error) throw new RpcError(rpcCodes.params, error.message, answer);
  // Clients take `data` for the result; the reward is beside it, for there is no other place for it.
  return {
    content: [{ type: "text", text: result }],
    data: result,
    structured_content: answer,
    is_error: false,
  };
}

async function close(id: string, { served, sessions, bound }: McpCaller): Promise<unknown> {
  if (bound?.session.id === id)
    throw new RpcError(rpcCodes.request, "This session ends with its socket: close that.");
  const game = gameOf(id, { served, sessions, log: () => undefined });
  if (game.isAttached) {
    game.isClosing = true;
    return { session_id: id, closed: false, closing: true };
  }
  await sessions.close(game.session);
  return { session_id: id, closed: true };
}

function errorOf(error: unknown, { sessions, log }: McpCaller): NonNullable<RpcResponse["error"]> {
  if (error instanceof RpcError) {
    const { code, message, data } = error;
    return { code, message, ...(data === undefined ? {} : { data }) };
  }
  if (error instanceof InvalidError)
    return { code: rpcCodes.params, message: error.message, data: error.parts };
  if (!(error instanceof ServeError)) log(error);
  const message = publicMessage(error);
  if (!(error instanceof ServeError) || error.code !== "capacity")
    return { code: error instanceof ServeError ? rpcCodes.server : rpcCodes.internal, message };
  const data = { active_sessions: sessions.count, max_sessions: sessions.limits.most };
  return { code: rpcCodes.server, message, data };
}

function publicReason(error: unknown): string {
  return error instanceof InvalidError ? error.message : "it cannot be read.";
}

import type { IncomingMessage } from "node:http";

import { sessionIdInCookie } from "./nemo/session-cookie.ts";

/** The session that the headers of a request name, by ORS's header, MCP's header or NeMo Gym's cookie. */
export function sessionIdInHeaders({ url = "/", headers }: IncomingMessage): string | undefined {
  const { "x-session-id": orsId, "mcp-session-id": mcpId, cookie } = headers;
  for (const id of [orsId, mcpId]) if (typeof id === "string" && id.trim() !== "") return id.trim();
  return url.startsWith("/nemo/") ? sessionIdInCookie(cookie) : undefined;
}

/** Routes that open or close a session, or that a client may call without one. */
const optionalSessionRoutes =
  /\/(?:create|reset|seed_session|delete|delete_session|close|close_session|mcp)(?:$|\?)/u;

/** Whether a request for a lost session fails with the code `lost`. */
export function needsSession({ url = "/" }: IncomingMessage): boolean {
  return !optionalSessionRoutes.test(url);
}

/** The session that a body names: a session, or a key that stands for one. */
export type BodyKey = { readonly id: string } | { readonly key: string };

/** The session of a JSON-RPC request over MCP, or the name that NeMo Gym has given to one. */
export function sessionKeyInBody(url: string, body: unknown): BodyKey | undefined {
  if (typeof body === "string") return idInRpc(body);
  const environment = /^\/nemo\/(?<name>[^/]+)\/(?:seed|close)_session/u.exec(url)?.groups!.name;
  if (environment === undefined || !isObject(body)) return undefined;
  const { resources_session_id: name } = body;
  return typeof name === "string" ? { key: `${environment}/${name}` } : undefined;
}

function idInRpc(text: string): BodyKey | undefined {
  if (!text.includes('"session_id"')) return undefined;
  try {
    const request: unknown = JSON.parse(text);
    const params = isObject(request) ? request.params : undefined;
    const id = isObject(params) ? params.session_id : undefined;
    return typeof id === "string" && id !== "" ? { id } : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

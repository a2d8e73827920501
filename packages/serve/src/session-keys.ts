import type { IncomingMessage } from "node:http";

import { sessionIdInCookie } from "./nemo/nemo-sessions.ts";

/** The session that a request belongs to, if its headers name one: `X-Session-ID` of ORS, or the cookie of NeMo Gym. */
export function sessionIdInHeaders({ url = "/", headers }: IncomingMessage): string | undefined {
  const { "x-session-id": id, cookie } = headers;
  if (typeof id === "string" && id.trim() !== "") return id.trim();
  return url.startsWith("/nemo/") ? sessionIdInCookie(cookie) : undefined;
}

const optionalSessionRoutes =
  /\/(?:create|reset|seed_session|delete|delete_session|close|close_session)(?:$|\?)/u;

/** Whether a request fails without its session, because it neither opens nor closes one. */
export function needsSession({ url = "/" }: IncomingMessage): boolean {
  return !optionalSessionRoutes.test(url);
}

/** What a body names: a session, or a key that stands for one. */
export type BodyKey = { readonly id: string } | { readonly key: string };

/** The session of a JSON-RPC request over MCP, or the name that NeMo Gym has given to one. */
export function sessionKeyInBody(url: string, body: unknown): BodyKey | undefined {
  if (typeof body === "string") return idInRpc(body);
  if (!url.startsWith("/nemo/") || !isObject(body)) return undefined;
  const { resources_session_id: name } = body;
  const [, , environment = ""] = url.split("/", 3);
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

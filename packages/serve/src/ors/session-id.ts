import type { FastifyRequest } from "fastify";

import { Refusal } from "./refusal.ts";

const longest = 200;

/** The session that a request names. Throws a {@link Refusal} if it names none. */
export function sessionId({ headers }: FastifyRequest): string {
  const sent = headers["x-session-id"];
  const id = typeof sent === "string" ? sent.trim() : "";
  if (id === "") throw new Refusal(400, "Send the session's id as X-Session-ID.");
  if (id.length <= longest) return id;
  throw new Refusal(400, `X-Session-ID has ${id.length} characters. Send at most ${longest}.`);
}

import { type SessionLimits, Sessions } from "../../src/sessions/sessions.ts";

/** Sessions of this process, without a server. */
export function startSessions(maxSessions: number, limits: Partial<SessionLimits> = {}): Sessions {
  const defaults = { maxSessions, idleTimeoutMs: 60_000, stepTimeoutMs: 60_000 };
  return new Sessions({ ...defaults, ...limits }, 0);
}

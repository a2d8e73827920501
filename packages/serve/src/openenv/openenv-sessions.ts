import type { ServerResponse } from "node:http";

import type { ServedEnvironment } from "../context.ts";
import { ServeError } from "../errors.ts";
import type { Session } from "../sessions/session.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { OpenenvSession } from "./openenv-session.ts";

const openenvSessions = new WeakMap<Session, OpenenvSession>();

/** Opens a session. Throws a `ServeError` of code `capacity` at the limit. */
export function openSession(environment: ServedEnvironment, sessions: Sessions): OpenenvSession {
  const opened = new OpenenvSession(sessions.open(environment.host), environment);
  openenvSessions.set(opened.session, opened);
  return opened;
}

/** A session of this environment that was opened over OpenEnv. */
export function findSession(
  environment: ServedEnvironment,
  sessions: Sessions,
  id: string,
): OpenenvSession | undefined {
  const session = sessions.find(id);
  const candidate = session && openenvSessions.get(session);
  return candidate?.environment === environment ? candidate : undefined;
}

/** An HTTP request that needs its own session. */
export interface SessionRequest {
  readonly sessions: Sessions;
  /** The response, which closes early if the client disconnects. */
  readonly response: ServerResponse;
}

/** Opens a session for one request, and closes it after the request, or when the client disconnects. */
export async function withSession<Result>(
  environment: ServedEnvironment,
  { sessions, response }: SessionRequest,
  use: (session: OpenenvSession) => Promise<Result>,
): Promise<Result> {
  const opened = openSession(environment, sessions);
  const close = (): Promise<void> => sessions.close(opened.session);
  const handleDisconnect = (): void => void close().catch(() => undefined);
  response.once("close", handleDisconnect);
  try {
    if (response.destroyed) throw new ServeError("closed", "The client has disconnected.");
    return await use(opened);
  } finally {
    response.off("close", handleDisconnect);
    await close();
  }
}

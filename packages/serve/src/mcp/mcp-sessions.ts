import type * as z from "zod";

import type { ServedEnvironment } from "../context.ts";
import { type exampleFields, resetQuery } from "../sessions/reset-query.ts";
import type { Session, SessionObservation } from "../sessions/session.ts";
import type { Sessions } from "../sessions/sessions.ts";

/** A session with its episode, which began when the client connected. */
export interface McpSession {
  readonly session: Session;
  readonly opening: SessionObservation;
}

/** The sessions of MCP clients, by the id that the client sends as `Mcp-Session-Id`. */
export class McpSessions {
  readonly #environment: ServedEnvironment;
  readonly #sessions: Sessions;
  readonly #ownSessions = new WeakMap<Session, McpSession>();

  constructor(environment: ServedEnvironment, sessions: Sessions) {
    this.#environment = environment;
    this.#sessions = sessions;
  }

  /** Opens a session and starts its episode, since MCP has no reset. */
  async open(
    fields: z.output<z.ZodObject<typeof exampleFields>>,
    id?: string,
  ): Promise<McpSession> {
    const { host } = this.#environment;
    const query = await resetQuery(host, fields);
    const session = this.#sessions.open(host, id);
    try {
      const opened = { session, opening: await session.reset(query) };
      this.#ownSessions.set(session, opened);
      return opened;
    } catch (error) {
      await this.#sessions.close(session);
      throw error;
    }
  }

  /** Returns the session, and resets its idle timeout. */
  find(id: string): McpSession | undefined {
    const session = this.#sessions.find(id);
    return session && this.#ownSessions.get(session);
  }

  async close({ session }: McpSession): Promise<void> {
    await this.#sessions.close(session);
  }
}

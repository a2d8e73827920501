import type { IncomingMessage, Server } from "node:http";

import type { ServeContext } from "../context.ts";

/** OpenEnv over WebSockets: `/ws` for the first environment, `/<environment>/ws` for each. */
export function openenvSockets(
  _server: Server,
  _context: ServeContext,
  _isAllowed: (request: IncomingMessage) => boolean,
): { close(): void } {
  return { close: () => undefined };
}

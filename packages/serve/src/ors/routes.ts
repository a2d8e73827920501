import type { FastifyInstance } from "fastify";

import type { ServeContext } from "../context.ts";

/** The Open Reward Standard. Its tasks are those of `tasks/`. */
export function orsRoutes(_app: FastifyInstance, _context: ServeContext): void {}

import type { FastifyInstance } from "fastify";

import type { ServeContext } from "../context.ts";

/** A page on which a person plays. */
export function webRoutes(_app: FastifyInstance, _context: ServeContext): void {}

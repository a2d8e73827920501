import type { FastifyInstance } from "fastify";

import type { Served } from "../context.ts";
import type { Sessions } from "../sessions.ts";

/** NeMo Gym's resources server, for one environment. */
export function nemoRoutes(_app: FastifyInstance, _served: Served, _sessions: Sessions): void {}

import type { FastifyRequest } from "fastify";

import type { Settings } from "../config/settings.ts";

/** The hub's public origin: HUB_URL, or the origin of the request. */
export function originOf({ HUB_URL }: Settings, request: FastifyRequest): string {
  return HUB_URL ?? `${request.protocol}://${request.host}`;
}

import type { FastifyRequest } from "fastify";

import type { Settings } from "../config/settings.ts";

/** The address that a client knows this hub by: as set, or as the client wrote it. */
export function originOf({ HUB_URL }: Settings, request: FastifyRequest): string {
  return HUB_URL ?? `${request.protocol}://${request.host}`;
}

import type { FastifyInstance } from "fastify";

import type { Hub } from "../../platform/hub/hub.ts";
import { keyType, publicKeys } from "./keys.ts";
import { signingKey } from "./sign.ts";

/** The keys with which clients verify the hub's signatures, also expired ones. */
export function signatureRoutes(app: FastifyInstance, hub: Hub): void {
  app.get("/-/npm/v1/keys", async () => {
    await signingKey(hub);
    const keys = await publicKeys(hub.database);
    return {
      keys: keys.map(({ keyid, public_key, expires_at }) => ({
        expires: expires_at?.toISOString() ?? null,
        keyid,
        keytype: keyType,
        scheme: keyType,
        key: public_key,
      })),
    };
  });
}

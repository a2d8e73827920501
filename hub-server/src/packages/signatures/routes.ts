import type { FastifyInstance } from "fastify";

import type { Hub } from "../../platform/hub/hub.ts";
import { keyKind, publicKeys } from "./keys.ts";
import { signingKey } from "./sign.ts";

/** The keys by which clients verify what the hub signed, those that have expired as well. */
export function signatureRoutes(app: FastifyInstance, hub: Hub): void {
  app.get("/-/npm/v1/keys", async () => {
    await signingKey(hub);
    const keys = await publicKeys(hub.database);
    return {
      keys: keys.map(({ keyid, public_key, expires_at }) => ({
        expires: expires_at?.toISOString() ?? null,
        keyid,
        keytype: keyKind,
        scheme: keyKind,
        key: public_key,
      })),
    };
  });
}

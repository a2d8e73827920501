import { createHash, generateKeyPairSync } from "node:crypto";

import type { NewRow } from "../database/tables.ts";

/** A key pair as the database keeps it: the public half as npm clients read it. */
export function newKey(now: Date): NewRow<"signing_keys"> {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const spki = publicKey.export({ type: "spki", format: "der" });
  return {
    keyid: `SHA256:${createHash("sha256").update(spki).digest("base64")}`,
    public_key: spki.toString("base64"),
    private_key: privateKey.export({ type: "pkcs8", format: "der" }).toString("base64"),
    created_at: now,
    expires_at: null,
  };
}

import { readFileSync } from "node:fs";

import { messageOf } from "@envs/core/engine";
import { TrustedRoot } from "@sigstore/protobuf-specs";
import { toTrustMaterial, Verifier } from "@sigstore/verify";

import { SettingsError } from "../../platform/config/read-settings.ts";
import type { Settings } from "../../platform/config/settings.ts";

const verifiers = new Map<string, Verifier>();

/**
 * A verifier that trusts the certificate authorities in the operator's Sigstore root. It works offline. Undefined if the
 * operator has not set a root.
 */
export function sigstoreVerifier({ HUB_SIGSTORE_ROOT: path }: Settings): Verifier | undefined {
  if (path === undefined) return undefined;
  const verifier = verifiers.get(path) ?? new Verifier(toTrustMaterial(readRoot(path)));
  verifiers.set(path, verifier);
  return verifier;
}

function readRoot(path: string): TrustedRoot {
  try {
    const root = TrustedRoot.fromJSON(JSON.parse(readFileSync(path, "utf8")));
    if (root.certificateAuthorities.length > 0 && root.tlogs.length > 0) return root;
  } catch (error) {
    throw unusableRoot(path, messageOf(error));
  }
  throw unusableRoot(path, "It must contain a certificate authority and a transparency log.");
}

function unusableRoot(path: string, reason: string): SettingsError {
  return new SettingsError(
    `The hub cannot start: HUB_SIGSTORE_ROOT is ${path}, which is not a valid trusted_root.json of Sigstore. ${reason}`,
  );
}

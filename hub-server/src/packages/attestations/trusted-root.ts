import { readFileSync } from "node:fs";

import { TrustedRoot } from "@sigstore/protobuf-specs";
import { toTrustMaterial, Verifier } from "@sigstore/verify";

import { SettingsError } from "../../platform/config/read-settings.ts";
import type { Settings } from "../../platform/config/settings.ts";

const verifiers = new Map<string, Verifier>();

/** What verifies statements by the authorities that the operator trusts; undefined where none are. Nothing is fetched. */
export function verifierOf({ HUB_SIGSTORE_ROOT: path }: Settings): Verifier | undefined {
  if (path === undefined) return undefined;
  const made = verifiers.get(path) ?? new Verifier(toTrustMaterial(readRoot(path)));
  verifiers.set(path, made);
  return made;
}

function readRoot(path: string): TrustedRoot {
  try {
    const root = TrustedRoot.fromJSON(JSON.parse(readFileSync(path, "utf8")));
    if (root.certificateAuthorities.length > 0 && root.tlogs.length > 0) return root;
  } catch (error) {
    throw new SettingsError(unusable(path, error instanceof Error ? error.message : String(error)));
  }
  throw new SettingsError(unusable(path, "It names no certificate authority or no log."));
}

function unusable(path: string, reason: string): string {
  return `The hub cannot start: HUB_SIGSTORE_ROOT should be the path of a trusted_root.json of Sigstore, and ${path} is not. ${reason}`;
}

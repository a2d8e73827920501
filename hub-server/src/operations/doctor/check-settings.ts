import { readFile } from "node:fs/promises";

import type { Settings } from "../../platform/config/settings.ts";
import { attempt, type Finding, ok, warning } from "./finding.ts";

/** Checks settings that are valid, but unsafe or incomplete together. */
export async function checkSettings(settings: Settings): Promise<readonly Finding[]> {
  const findings = [...publicSettings(settings), ...limits(settings)];
  const { HUB_SIGSTORE_ROOT: root } = settings;
  const rootFindings =
    root === undefined
      ? []
      : await attempt(
          "provenance",
          "Set HUB_SIGSTORE_ROOT to a readable trusted_root.json of Sigstore.",
          async () => {
            JSON.parse(await readFile(root, "utf8"));
            return ok("provenance", `Sigstore's trusted root is ${root}`);
          },
        );
  if (findings.length > 0) return [...findings, ...rootFindings];
  return [ok("settings", "complete"), ...rootFindings];
}

function* publicSettings({
  HUB_HOST,
  HUB_URL,
  HUB_TRUST_PROXY,
  HUB_REGISTRATION,
}: Settings): Generator<Finding> {
  const isLocal = ["localhost", "127.0.0.1", "::1"].includes(HUB_HOST);
  if (HUB_URL === undefined) {
    if (!isLocal)
      yield warning(
        "settings",
        "HUB_URL is not set, so links and tarball URLs follow the Host header of each request.",
        "Set HUB_URL to the public URL.",
      );
    return;
  }
  const { protocol, hostname } = new URL(HUB_URL);
  if (protocol === "http:" && !["localhost", "127.0.0.1"].includes(hostname))
    yield warning(
      "settings",
      `HUB_URL is ${HUB_URL}: passwords, tokens and packages cross the network unencrypted.`,
      "Put a proxy with TLS in front of the hub, and set HUB_URL to its https URL.",
    );
  if (protocol === "https:" && HUB_TRUST_PROXY === undefined)
    yield warning(
      "settings",
      "HUB_URL is https, but HUB_TRUST_PROXY is not set: all clients share the rate limits of the proxy's address.",
      "Set HUB_TRUST_PROXY to the address of the proxy.",
    );
  if (HUB_REGISTRATION === "open")
    yield warning(
      "settings",
      "Every visitor can create an account.",
      "If that is not what you want, set HUB_REGISTRATION=invite.",
    );
}

function* limits({ HUB_LIMITS }: Settings): Generator<Finding> {
  if (HUB_LIMITS === "off")
    yield warning(
      "settings",
      "HUB_LIMITS is off: guesses at passwords and codes are not limited.",
      "Remove HUB_LIMITS.",
    );
}

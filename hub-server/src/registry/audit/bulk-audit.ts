import * as z from "zod";

import { advisoryUrl } from "../../packages/advisories/advisories.ts";
import type { Finding } from "./audit.ts";

/** The request of npm, pnpm and Yarn 4: versions by package name. */
export const bulkRequest = z.record(z.string(), z.array(z.string()));

/** The response for npm, pnpm and Yarn 4: advisories by package name. */
export function bulkResponse(findings: readonly Finding[], origin: string) {
  const response: Record<string, object[]> = {};
  for (const { advisory } of findings)
    (response[advisory.package] ??= []).push({
      id: advisory.id,
      url: advisoryUrl(advisory, origin),
      title: advisory.title,
      severity: advisory.severity,
      vulnerable_versions: advisory.vulnerable_versions,
      cwe: advisory.cwe,
      cvss: { score: 0, vectorString: null },
    });
  return response;
}

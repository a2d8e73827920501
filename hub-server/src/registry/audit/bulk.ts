import * as z from "zod";

import { advisoryUrl } from "../../packages/advisories/advisories.ts";
import type { Finding } from "./audit.ts";

/** What npm, pnpm and Yarn 4 ask: packages by name, each with its versions. */
export const bulkRequest = z.record(z.string(), z.array(z.string()));

/** What they read, by the package's name. */
export function bulkAnswer(findings: readonly Finding[], origin: string) {
  const answer: Record<string, object[]> = {};
  for (const { advisory } of findings)
    (answer[advisory.package] ??= []).push({
      id: advisory.id,
      url: advisoryUrl(advisory, origin),
      title: advisory.title,
      severity: advisory.severity,
      vulnerable_versions: advisory.vulnerable_versions,
      cwe: advisory.cwe,
      cvss: { score: 0, vectorString: null },
    });
  return answer;
}

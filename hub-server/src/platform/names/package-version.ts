import semver from "semver";

import { quoted, refusal } from "../errors/hub-error.ts";

/** Returns a canonical semver version without build metadata, which does not affect precedence, or throws `version-invalid`. */
export function packageVersion(text: string): string {
  const parsed = semver.parse(text);
  if (parsed !== null && parsed.raw === parsed.version && parsed.build.length === 0) return text;
  throw refusal(
    "version-invalid",
    `${quoted(text)} cannot be a version: ${reason(parsed)}. Write it as 1.2.3 or 1.2.3-beta.1.`,
  );
}

function reason(parsed: semver.SemVer | null): string {
  if (parsed === null) return "it does not follow semver";
  if (parsed.build.length > 0) return "build metadata does not distinguish versions";
  return `its canonical form is ${parsed.version}`;
}

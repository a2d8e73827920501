import semver from "semver";

import { quoted, refusal } from "../errors/hub-error.ts";

/** Returns a valid dist-tag or throws `tag-invalid`: clients must not confuse it with a version, a range or a file. */
export function distTag(text: string): string {
  const problem = problemOf(text);
  if (problem === undefined) return text;
  throw refusal(
    "tag-invalid",
    `${quoted(text)} cannot be a dist-tag: ${problem}. Choose a word, such as latest or beta.`,
  );
}

function problemOf(text: string): string | undefined {
  if (text.length > 100) return "it is longer than 100 characters";
  if (semver.validRange(text, { loose: true }) !== null) return "it is also a range of versions";
  if (!/^[A-Za-z][A-Za-z0-9._-]*$/.test(text))
    return "it may have only letters, digits, dots, hyphens and underscores, and must begin with a letter";
  if (/\.(?:tgz|tar|tar\.gz)$/i.test(text)) return "clients would treat it as a file";
  return undefined;
}

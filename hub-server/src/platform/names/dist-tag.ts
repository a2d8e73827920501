import semver from "semver";

import { quoted, refusal } from "../errors/refusal.ts";

/** A dist-tag: a word that no client can take for a version, a range, or a file. */
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
  if (semver.validRange(text, { loose: true }) !== null) return "it reads as a range of versions";
  if (!/^[A-Za-z][A-Za-z0-9._-]*$/.test(text))
    return "it is not letters, digits, dots, hyphens and underscores after a letter";
  if (/\.(?:tgz|tar|tar\.gz)$/i.test(text)) return "clients take it for a file";
  return undefined;
}

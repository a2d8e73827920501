import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** The folder for files that a package of envs makes or downloads once: `~/.cache/envs/<name>`, or below `$XDG_CACHE_HOME`. */
export function cacheFolder(name: string): string {
  const caches = process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache");
  return join(caches, "envs", name);
}

/** Reads a file. Throws if its hash differs; `remedy` names the command that repairs it. */
export function readChecked(
  path: string,
  { sha256: expected, remedy }: { readonly sha256: string; readonly remedy: string },
): Uint8Array {
  const bytes = readFileSync(path);
  if (sha256(bytes) !== expected)
    throw new Error(`${path} is damaged: its SHA-256 is not ${expected}. ${remedy}`);
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

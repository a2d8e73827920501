import * as z from "zod";

import { manifestLimits } from "./bounds.ts";
import { type EnvironmentManifest, environmentManifest } from "./manifest.ts";

/** A manifest, or what is wrong with it: a sentence or several lines for the person who wrote it. */
export type ManifestReading =
  | { readonly manifest: EnvironmentManifest; readonly problem?: undefined }
  | { readonly manifest?: undefined; readonly problem: string };

/** Reads the bytes of a manifest file, from anybody: what is too large, no JSON, or no manifest is a problem told. */
export function readManifest(bytes: Uint8Array): ManifestReading {
  const { bytes: most } = manifestLimits;
  if (bytes.length > most)
    return { problem: `It has ${bytes.length} bytes; a manifest has at most ${most}.` };
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return { problem: "It is not JSON in UTF-8." };
  }
  const parsed = environmentManifest.safeParse(json);
  return parsed.success ? { manifest: parsed.data } : { problem: problemOf(parsed.error) };
}

/** A hostile manifest has thousands of issues, and a person mends a few at a time. */
function problemOf({ issues }: z.ZodError): string {
  const shown = z.prettifyError({ issues: issues.slice(0, 10) });
  return issues.length > 10 ? `${shown}\n… and ${issues.length - 10} more` : shown;
}

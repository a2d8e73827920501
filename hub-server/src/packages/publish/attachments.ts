import type { Attestation } from "../../platform/database/json-columns.ts";
import { quoted, refusal } from "../../platform/errors/refusal.ts";
import type { PackageLimits } from "../tarball/limits.ts";

interface Attachment {
  readonly content_type?: string | undefined;
  readonly data: string;
  readonly length?: number | undefined;
}

/** The tarball and the statements among a document's attachments, which are named after the package and its version. */
export function attachmentsOf(
  attachments: Readonly<Record<string, Attachment>>,
  stem: string,
  limits: PackageLimits,
): { tarball: Uint8Array<ArrayBuffer>; attestations: readonly Attestation[] } {
  const { [`${stem}.tgz`]: tarball, [`${stem}.sigstore`]: statement, ...others } = attachments;
  const [other] = Object.keys(others);
  if (other !== undefined)
    throw refusal(
      "attachment-name",
      `The document has the attachment ${quoted(other)}; it may have ${stem}.tgz and ${stem}.sigstore.`,
    );
  if (tarball === undefined)
    throw refusal("attachment-missing", `The document has no attachment ${stem}.tgz.`);
  return {
    tarball: tarballOf(tarball, limits),
    attestations: statement === undefined ? [] : [attestationOf(statement, limits)],
  };
}

function tarballOf({ data, length }: Attachment, limits: PackageLimits): Uint8Array<ArrayBuffer> {
  const padding = /={0,2}$/.exec(data.slice(-2))?.[0].length ?? 0;
  const size = (data.length / 4) * 3 - padding;
  if (size > limits.packed)
    throw refusal(
      "tarball-too-large",
      `The tarball has ${size} bytes; this hub takes at most ${limits.packed}. Publish fewer or smaller files.`,
    );
  // The decoder skips what is not base64, and so makes fewer bytes of it.
  const bytes = Buffer.from(data, "base64");
  if (bytes.length !== size)
    throw refusal("attachment-encoding", "The tarball is not in base64. Publish it again.");
  if (length !== undefined && length !== size)
    throw refusal(
      "attachment-length",
      `The document says that the tarball has ${length} bytes, and brings ${size}. Publish it again.`,
    );
  return bytes;
}

/** The length is not compared: npm counts characters, others bytes. */
function attestationOf({ content_type, data }: Attachment, limits: PackageLimits): Attestation {
  if (data.length > limits.attestation)
    throw refusal(
      "attachment-length",
      `The signed statement has ${data.length} characters; this hub takes at most ${limits.attestation}.`,
    );
  if (!isBundle(data))
    throw refusal(
      "attachment-encoding",
      "The signed statement is not a Sigstore bundle in JSON. Publish without provenance, or mend it.",
    );
  return { mediaType: content_type ?? "application/vnd.dev.sigstore.bundle+json", text: data };
}

function isBundle(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && "verificationMaterial" in value;
  } catch {
    return false;
  }
}

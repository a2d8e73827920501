import type { Attestation } from "../../platform/database/json-columns.ts";
import { quoted, refusal } from "../../platform/errors/hub-error.ts";
import type { PackageLimits } from "../tarball/limits.ts";

interface Attachment {
  readonly content_type?: string | undefined;
  readonly data: string;
  readonly length?: number | undefined;
}

/** The tarball and the attestations of a document. Attachments are named `<stem>.tgz` and `<stem>.sigstore`. */
export function attachmentsOf(
  attachments: Readonly<Record<string, Attachment>>,
  stem: string,
  limits: PackageLimits,
): { tarball: Uint8Array<ArrayBuffer>; attestations: readonly Attestation[] } {
  const { [`${stem}.tgz`]: tarball, [`${stem}.sigstore`]: bundle, ...others } = attachments;
  const [other] = Object.keys(others);
  if (other !== undefined)
    throw refusal(
      "attachment-name",
      `The document has an unknown attachment ${quoted(other)}. Only ${stem}.tgz and ${stem}.sigstore are allowed.`,
    );
  if (tarball === undefined)
    throw refusal("attachment-missing", `The document has no attachment ${stem}.tgz.`);
  return {
    tarball: tarballOf(tarball, limits),
    attestations: bundle === undefined ? [] : [attestationOf(bundle, limits)],
  };
}

function tarballOf({ data, length }: Attachment, limits: PackageLimits): Uint8Array<ArrayBuffer> {
  const padding = /={0,2}$/.exec(data.slice(-2))?.[0].length ?? 0;
  const size = (data.length / 4) * 3 - padding;
  if (size > limits.packed)
    throw refusal(
      "tarball-too-large",
      `The tarball has ${size} bytes; the limit of this hub is ${limits.packed}. Publish fewer or smaller files.`,
    );
  // The decoder skips invalid characters, so invalid base64 decodes to fewer bytes.
  const bytes = Buffer.from(data, "base64");
  if (bytes.length !== size)
    throw refusal("attachment-encoding", "The tarball is not valid base64. Publish it again.");
  if (length !== undefined && length !== size)
    throw refusal(
      "attachment-length",
      `The document gives the tarball's length as ${length} bytes, but the tarball has ${size}. Publish it again.`,
    );
  return bytes;
}

/** Ignores the attachment's length: npm counts characters, other clients count bytes. */
function attestationOf({ content_type, data }: Attachment, limits: PackageLimits): Attestation {
  if (data.length > limits.attestation)
    throw refusal(
      "attachment-length",
      `The provenance statement has ${data.length} characters; the limit of this hub is ${limits.attestation}.`,
    );
  if (!isBundle(data))
    throw refusal(
      "attachment-encoding",
      "The provenance statement is not a Sigstore bundle in JSON. Fix it, or publish without provenance.",
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

import * as z from "zod";

import type { Attestation, PublishHints } from "../../platform/database/json-columns.ts";
import { quoted, refusal } from "../../platform/errors/hub-error.ts";
import { distTag } from "../../platform/names/dist-tag.ts";
import { packageName } from "../../platform/names/package-name.ts";
import { packageVersion } from "../../platform/names/package-version.ts";
import type { PackageLimits } from "../tarball/limits.ts";
import { attachmentsOf } from "./attachments.ts";

const names = z.record(z.string(), z.string()).nullish();

/** An unverifiable hint of the client. Text with other characters than those of commits and versions is dropped. */
const hint = z
  .string()
  .regex(/^[\w.+-]{1,100}$/)
  .optional()
  .catch(undefined);

/** The client's description of the version. {@link checkAgreement} compares it with the tarball. */
const claim = z.looseObject({
  name: z.string(),
  version: z.string(),
  dependencies: names,
  optionalDependencies: names,
  peerDependencies: names,
  bin: z.union([z.string(), z.record(z.string(), z.string())]).nullish(),
  dist: z.looseObject({ integrity: z.string().nullish(), shasum: z.string().nullish() }).nullish(),
  gitHead: hint,
  _nodeVersion: hint,
  _npmVersion: hint,
});

const publishBody = z.looseObject({
  name: z.string(),
  access: z.enum(["public", "restricted"]).nullish(),
  "dist-tags": z.record(z.string(), z.string()),
  versions: z.record(z.string(), claim),
  _attachments: z.record(
    z.string(),
    z.looseObject({
      content_type: z.string().optional(),
      data: z.string(),
      length: z.number().optional(),
    }),
  ),
});

export type VersionClaim = z.infer<typeof claim>;

/** A valid publish document. Its tarball is not checked yet. */
export interface PublishDocument {
  readonly name: string;
  readonly version: string;
  /** The dist-tag to point at the version. */
  readonly tag: string;
  /** Undefined if the client does not choose. */
  readonly access?: "public" | "restricted" | undefined;
  readonly tarball: Uint8Array<ArrayBuffer>;
  readonly attestations: readonly Attestation[];
  readonly hints: PublishHints;
  readonly claim: VersionClaim;
}

/** Parses the body of npm's `PUT /{name}` that publishes a version. */
export function publishDocument(
  body: unknown,
  name: string,
  limits: PackageLimits,
): PublishDocument {
  const document = parse(body);
  packageName(document.name);
  const [entry, ...others] = Object.entries(document.versions);
  if (entry === undefined || others.length > 0)
    throw refusal(
      "document-versions",
      `The document has ${Object.keys(document.versions).length} versions, but a publish document has exactly one. Publish one version at a time.`,
    );
  const [version, claim] = entry;
  packageVersion(version);
  const otherName = [document.name, claim.name].find((other) => other !== name);
  if (otherName !== undefined)
    throw refusal(
      "document-name",
      `The URL names the package ${quoted(name)}, but the document names ${quoted(otherName)}. Publish with npm, pnpm or Yarn.`,
    );
  if (claim.version !== version)
    throw refusal(
      "document-version",
      `The document lists version ${version}, but its package.json has version ${quoted(claim.version)}. Publish with npm, pnpm or Yarn.`,
    );
  return {
    name,
    version,
    tag: tagOf(document["dist-tags"], version),
    ...attachmentsOf(document._attachments, `${name}-${version}`, limits),
    hints: hintsOf(claim),
    claim,
    access: document.access ?? undefined,
  };
}

function parse(body: unknown): z.infer<typeof publishBody> {
  const result = publishBody.safeParse(body);
  if (result.success) return result.data;
  throw refusal(
    "document-invalid",
    `The body is not a publish document. Publish with npm, pnpm or Yarn.\n${z.prettifyError({ issues: result.error.issues.slice(0, 10) })}`,
  );
}

function tagOf(tags: Readonly<Record<string, string>>, version: string): string {
  const [entry, ...others] = Object.entries(tags);
  if (entry === undefined || others.length > 0 || entry[1] !== version)
    throw refusal(
      "document-tag",
      `The document must have exactly one dist-tag, and it must name ${version}. Publish with one tag, and add others with npm dist-tag.`,
    );
  return distTag(entry[0]);
}

function hintsOf({ gitHead, _nodeVersion, _npmVersion }: VersionClaim): PublishHints {
  return { gitHead, nodeVersion: _nodeVersion, npmVersion: _npmVersion };
}

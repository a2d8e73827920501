import * as z from "zod";

import type { Attestation, PublishHints } from "../../platform/database/json-columns.ts";
import { quoted, refusal } from "../../platform/errors/refusal.ts";
import { distTag } from "../../platform/names/dist-tag.ts";
import { packageName } from "../../platform/names/package-name.ts";
import { packageVersion } from "../../platform/names/package-version.ts";
import type { PackageLimits } from "../tarball/limits.ts";
import { attachmentsOf } from "./attachments.ts";

const names = z.record(z.string(), z.string()).nullish();

/** Nobody verifies it, so that it may at least say nothing else than a commit or a version. */
const hint = z
  .string()
  .regex(/^[\w.+-]{1,100}$/)
  .optional()
  .catch(undefined);

/** What the document says of the version. Of the tarball, the hub believes the tarball alone. */
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

const form = z.looseObject({
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

/** What a publish document says of its version. */
export type VersionClaim = z.infer<typeof claim>;

/** A publish document that is consistent in itself. */
export interface PublishDocument {
  readonly name: string;
  readonly version: string;
  /** The dist-tag that the version gets. */
  readonly tag: string;
  /** Who may read the package, if the client says so. */
  readonly access?: "public" | "restricted";
  readonly tarball: Uint8Array<ArrayBuffer>;
  readonly attestations: readonly Attestation[];
  readonly hints: PublishHints;
  readonly claim: VersionClaim;
}

/** Reads the body of a `PUT /{name}` that publishes, in the form of npm, pnpm or Yarn. */
export function publishDocument(
  body: unknown,
  name: string,
  limits: PackageLimits,
): PublishDocument {
  const document = parsed(body);
  packageName(document.name);
  const [entry, ...others] = Object.entries(document.versions);
  if (entry === undefined || others.length > 0)
    throw refusal(
      "document-versions",
      `The document holds ${Object.keys(document.versions).length} versions. Publish one at a time.`,
    );
  const [version, claim] = entry;
  packageVersion(version);
  const otherName = [document.name, claim.name].find((each) => each !== name);
  if (otherName !== undefined)
    throw refusal(
      "document-name",
      `The address names ${quoted(name)}, the document ${quoted(otherName)}. Publish with npm, pnpm or Yarn.`,
    );
  if (claim.version !== version)
    throw refusal(
      "document-version",
      `The document lists the version ${version} as ${quoted(claim.version)}. Publish with npm, pnpm or Yarn.`,
    );
  const { access } = document;
  return {
    name,
    version,
    tag: tagOf(document["dist-tags"], version),
    ...attachmentsOf(document._attachments, `${name}-${version}`, limits),
    hints: hintsOf(claim),
    claim,
    ...(access !== undefined && access !== null && { access }),
  };
}

function parsed(body: unknown): z.infer<typeof form> {
  const result = form.safeParse(body);
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
      `The document does not give exactly one dist-tag to ${version}. Publish with one tag, and add others with npm dist-tag.`,
    );
  return distTag(entry[0]);
}

function hintsOf({ gitHead, _nodeVersion, _npmVersion }: VersionClaim): PublishHints {
  return {
    ...(gitHead !== undefined && { gitHead }),
    ...(_nodeVersion !== undefined && { nodeVersion: _nodeVersion }),
    ...(_npmVersion !== undefined && { npmVersion: _npmVersion }),
  };
}

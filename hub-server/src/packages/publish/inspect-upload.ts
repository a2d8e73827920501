import { refusal } from "../../platform/errors/refusal.ts";
import { tarballDigests, type TarballDigests } from "../tarball/digests.ts";
import { type InspectedPackage, packageContents } from "../tarball/inspect.ts";
import type { PackageLimits } from "../tarball/limits.ts";
import { checkAgreement } from "./agreement.ts";
import type { PublishDocument } from "./document.ts";

/** A valid package: the metadata of its publish document, and the contents of its tarball. */
export type PackageUpload = InspectedPackage & Omit<PublishDocument, "claim">;

/** Checks that the tarball is valid and that it matches its publish document. */
export async function inspectUpload(
  { claim, ...metadata }: PublishDocument,
  limits: PackageLimits,
): Promise<PackageUpload> {
  const digests = await tarballDigests(metadata.tarball);
  checkDigests(claim.dist ?? {}, digests);
  const contents = await packageContents(metadata.tarball, limits);
  if (contents.name !== metadata.name)
    throw refusal(
      "document-name",
      `The document names the package ${metadata.name}, but package.json in the tarball names ${contents.name}. Publish from the package's folder.`,
    );
  if (contents.version !== metadata.version)
    throw refusal(
      "document-version",
      `The document has the version ${metadata.version}, but package.json in the tarball has ${contents.version}. Publish from the package's folder.`,
    );
  checkAgreement(claim, contents.manifest);
  return { ...metadata, ...contents, ...digests };
}

function checkDigests(
  claimed: {
    readonly integrity?: string | null | undefined;
    readonly shasum?: string | null | undefined;
  },
  { integrity, shasum }: TarballDigests,
): void {
  const sha1 = `sha1-${Buffer.from(shasum, "hex").toString("base64")}`;
  const hashes = (claimed.integrity ?? "").split(/\s+/).filter((hash) => hash !== "");
  const isEqual =
    hashes.every((hash) => !/^sha(?:1|512)-/.test(hash) || [integrity, sha1].includes(hash)) &&
    (claimed.shasum ?? shasum).toLowerCase() === shasum;
  if (isEqual) return;
  throw refusal(
    "integrity-mismatch",
    `The tarball's hashes differ from those in the document: its integrity is ${integrity}, and its shasum is ${shasum}. Publish it again.`,
  );
}

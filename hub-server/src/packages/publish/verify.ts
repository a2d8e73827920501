import { refusal } from "../../platform/errors/refusal.ts";
import { tarballDigests, type TarballDigests } from "../tarball/digests.ts";
import { type InspectedPackage, packageContents } from "../tarball/inspect.ts";
import type { PackageLimits } from "../tarball/limits.ts";
import { checkAgreement } from "./agreement.ts";
import type { PublishDocument } from "./document.ts";

/** A package to publish: what its document asks for, over bytes that were looked at. */
export type VerifiedPackage = InspectedPackage & Omit<PublishDocument, "claim">;

/** Verifies that a document's tarball is what the document says, and that a hub may serve it. */
export async function verifyPublish(
  document: PublishDocument,
  limits: PackageLimits,
): Promise<VerifiedPackage> {
  const { claim, ...asked } = document;
  const digests = await tarballDigests(asked.tarball);
  checkDigests(claim.dist ?? {}, digests);
  const contents = await packageContents(asked.tarball, limits);
  if (contents.name !== asked.name)
    throw refusal(
      "document-name",
      `The document is of ${asked.name}, the tarball of ${contents.name}. Publish from the package's folder.`,
    );
  if (contents.version !== asked.version)
    throw refusal(
      "document-version",
      `The document is of the version ${asked.version}, the tarball of ${contents.version}. Publish from the package's folder.`,
    );
  checkAgreement(claim, contents.manifest);
  return { ...asked, ...contents, ...digests };
}

function checkDigests(
  claimed: {
    readonly integrity?: string | null | undefined;
    readonly shasum?: string | null | undefined;
  },
  { integrity, shasum }: TarballDigests,
): void {
  const sha1 = `sha1-${Buffer.from(shasum, "hex").toString("base64")}`;
  const said = (claimed.integrity ?? "").split(/\s+/).filter((each) => each !== "");
  const isRight =
    said.every((each) => !/^sha(?:1|512)-/.test(each) || [integrity, sha1].includes(each)) &&
    (claimed.shasum ?? shasum).toLowerCase() === shasum;
  if (isRight) return;
  throw refusal(
    "integrity-mismatch",
    `The tarball has the integrity ${integrity} and the shasum ${shasum}; the document says otherwise. Publish it again.`,
  );
}

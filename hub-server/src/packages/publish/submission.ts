import type { PublishingRight } from "../../access/permissions/publishing-right.ts";
import type { Identity } from "../../identity/request/identity.ts";
import type { VerifiedAttestation } from "../attestations/verify.ts";
import type { PackageUpload } from "./inspect-upload.ts";

/** A version that a user wants to publish: from a client, from an approved staged version, or from the seed. */
export interface Submission {
  readonly identity: Identity;
  readonly right: PublishingRight;
  readonly name: string;
  readonly version: string;
  readonly tarballBytes: number;
  /** The staged version that this submission publishes. Its bytes count towards the quota already. */
  readonly stageId?: string | undefined;
  /** Reads and checks the tarball. */
  readonly inspect: () => Promise<PackageUpload>;
}

/** A submission with a valid tarball and verified attestations. */
export interface InspectedSubmission extends Submission {
  readonly upload: PackageUpload;
  readonly attestations: readonly VerifiedAttestation[];
}

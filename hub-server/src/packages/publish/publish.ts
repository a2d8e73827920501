import type { FastifyRequest } from "fastify";
import pLimit from "p-limit";

import {
  type PublishingRight,
  publishingRight,
} from "../../access/permissions/publishing-right.ts";
import type { Identity } from "../../identity/request/identity.ts";
import { requireSecondFactorFor } from "../../identity/second-factor/second-factor.ts";
import { blobKey } from "../../platform/blobs/blob-key.ts";
import { keepBlobs } from "../../platform/blobs/claims.ts";
import type { Settings } from "../../platform/config/settings.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { maxWorks } from "../../platform/hub/transactions.ts";
import { packageLimits, type PackageLimits } from "../tarball/limits.ts";
import { admit } from "./admit.ts";
import { commit, type Published } from "./commit.ts";
import { publishDocument } from "./document.ts";
import { inspectUpload, type PackageUpload } from "./inspect-upload.ts";
import type { InspectedSubmission, Submission } from "./submission.ts";
import { rejectUpstreamName } from "./upstream-name.ts";

/** The publish documents of one request, each with the package name that the request addresses. */
interface PublishRequest {
  readonly identity: Identity;
  readonly documents: readonly { readonly name: string; readonly body: unknown }[];
}

/**
 * A process works on as many requests as a transaction of the embedded database commits. The others wait in the order of their arrival:
 * if it worked on all at once, a new request would delay those that came before it.
 */
const inOrder = pLimit(maxWorks);

/**
 * Publishes the packages of a request: all of them, or none. Each step can reject the request.
 *
 * 1. authorize: the user and the token may publish the name, and the user's second factor is verified
 * 2. parse: the document is valid
 * 3. admit: limits, quotas and existing versions allow the version
 * 4. inspect: the tarball is valid and matches the document, and its provenance verifies
 * 5. store: the tarball is in the blob store
 * 6. commit: one transaction checks the shared limits under locks and writes the rows
 */
export async function publish(
  hub: Hub,
  request: FastifyRequest,
  { identity, documents }: PublishRequest,
): Promise<readonly Published[]> {
  const limits = limitsOf(hub.settings);
  return await inOrder(async () => {
    const submissions: Submission[] = [];
    for (const { name, body } of documents) {
      const right = await authorize(hub, request, identity, name);
      const document = publishDocument(body, name, limits);
      const inspect = (): Promise<PackageUpload> => inspectUpload(document, limits);
      const { version, tarball } = document;
      const tarballBytes = tarball.byteLength;
      submissions.push({ identity, right, name, version, tarballBytes, inspect });
    }
    return await publishSubmissions(hub, submissions);
  });
}

/** Steps 3 to 6 of {@link publish}, for authorized submissions. */
export async function publishSubmissions(
  hub: Hub,
  submissions: readonly Submission[],
): Promise<readonly Published[]> {
  await admit(hub, submissions);
  const inspected: InspectedSubmission[] = [];
  for (const submission of submissions) inspected.push(await inspect(hub, submission));
  await store(
    hub,
    inspected.map(({ upload }) => upload),
  );
  return await commit(hub, inspected);
}

/** Returns the user's right to publish the package. Requires a second factor if the package or the user does. */
export async function authorize(
  hub: Hub,
  request: FastifyRequest,
  identity: Identity,
  name: string,
): Promise<PublishingRight> {
  const right = await publishingRight(hub.database, { identity, name });
  if (right.existingPackage === undefined) rejectUpstreamName(hub.settings, name);
  await requireSecondFactorFor(hub, request, identity, right.existingPackage);
  return right;
}

async function inspect(hub: Hub, submission: Submission): Promise<InspectedSubmission> {
  const upload = await submission.inspect();
  if (upload.attestations.length === 0) return { ...submission, upload, attestations: [] };
  // Few versions have provenance, and its verifier takes long to load.
  const { verifyAttestations } = await import("../attestations/verify.ts");
  const bundles = upload.attestations.map(({ text }) => text);
  const attestations = verifyAttestations(hub.settings, upload, bundles);
  return { ...submission, upload, attestations };
}

/** Stores the tarballs before the transaction that names them. Unused tarballs are swept later. */
export async function store(hub: Hub, uploads: readonly PackageUpload[]): Promise<void> {
  await keepBlobs(
    hub,
    uploads.map(({ integrity, tarball }) => ({ key: blobKey(integrity), bytes: tarball })),
  );
}

/** The package limits of a hub with these settings. */
export function limitsOf({
  HUB_TARBALL_BYTES,
  HUB_UNPACKED_BYTES,
  HUB_FILES,
}: Settings): PackageLimits {
  return {
    ...packageLimits,
    packed: HUB_TARBALL_BYTES,
    unpacked: HUB_UNPACKED_BYTES,
    entries: HUB_FILES,
  };
}

/** The maximum bytes of a publish document: the tarball in base64, and 1 MiB for the rest. */
export function bodyLimitOf({ packed }: PackageLimits): number {
  return Math.ceil((packed * 4) / 3) + 2 ** 20;
}

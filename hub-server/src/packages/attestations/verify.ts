import { messageOf } from "@envs/core/engine";
import { type Bundle, bundleFromJSON } from "@sigstore/bundle";
import { type Signer, toSignedEntity } from "@sigstore/verify";

import type { Settings } from "../../platform/config/settings.ts";
import { refusal } from "../../platform/errors/hub-error.ts";
import { repositoryAddress } from "./repository.ts";
import { checkStatement, type StatementSubject } from "./statement.ts";
import { sigstoreVerifier } from "./trusted-root.ts";

/** A row of the table `attestations`, without its version. */
export interface VerifiedAttestation {
  readonly predicateType: string;
  readonly bundle: unknown;
}

interface AttestedVersion extends StatementSubject {
  /** The version's package.json. */
  readonly manifest: Readonly<Record<string, unknown>>;
}

/**
 * Verifies the Sigstore bundles of a version like npm's clients, and checks that the build ran in the repository that
 * package.json names. Verification is slow, so call it before the transaction that publishes.
 */
export function verifyAttestations(
  settings: Settings,
  version: AttestedVersion,
  bundles: readonly string[],
): readonly VerifiedAttestation[] {
  const verifier = sigstoreVerifier(settings);
  if (verifier === undefined)
    throw refusal(
      "attestation-not-taken",
      "This hub does not verify provenance. Publish without --provenance, or ask its operator to set HUB_SIGSTORE_ROOT.",
    );
  return bundles.map((text) => {
    const [bundle, json] = parse(text);
    const predicateType = checkStatement(bundle, version);
    const signer = requireSigner(() => verifier.verify(toSignedEntity(bundle)));
    checkRepository(signer, version);
    return { predicateType, bundle: json };
  });
}

function parse(text: string): readonly [Bundle, unknown] {
  try {
    const json: unknown = JSON.parse(text);
    return [bundleFromJSON(json), json];
  } catch (error) {
    throw refusal(
      "attestation-invalid",
      `The signed statement is not a Sigstore bundle: ${messageOf(error)}. Sign with npm publish --provenance.`,
    );
  }
}

function requireSigner(verify: () => Signer): Signer {
  try {
    return verify();
  } catch (error) {
    throw refusal(
      "attestation-untrusted",
      `This hub cannot verify the signature of the statement: ${messageOf(error)}. Sign in GitHub Actions or GitLab CI with a Sigstore instance that this hub trusts.`,
    );
  }
}

function checkRepository(signer: Signer, { manifest }: AttestedVersion): void {
  const buildRepository = sourceRepository(signer);
  if (buildRepository === undefined)
    throw refusal(
      "attestation-untrusted",
      "The certificate of the signed statement does not name a repository. Sign in GitHub Actions or GitLab CI.",
    );
  const address = repositoryAddress(manifest["repository"]);
  if (address === repositoryAddress(buildRepository)) return;
  const problem =
    address === undefined
      ? "package.json does not name a repository"
      : `package.json names ${address}`;
  throw refusal(
    "attestation-repository",
    `The package was built in ${buildRepository}, but ${problem}. Set "repository" in package.json to the repository of the build.`,
  );
}

/** Fulcio's certificate extension with the URL of the repository in which a build ran. */
const sourceRepositoryUri = "1.3.6.1.4.1.57264.1.12";
const utf8String = 0x0c;

/** The repository in a signer's certificate, such as `https://github.com/owner/name`. */
function sourceRepository({ identity }: Signer): string | undefined {
  const extension = identity?.oids?.find(({ oid }) => oid?.id.join(".") === sourceRepositoryUri);
  if (extension === undefined) return undefined;
  const { value } = extension;
  // DER: a tag, a length in one byte, and the text. Addresses of 128 bytes and more have a longer length; ignore them.
  const isShort = value[0] === utf8String && value[1] === value.length - 2 && value.length < 130;
  return isShort ? value.subarray(2).toString("utf8") : undefined;
}

import { bundleFromJSON, type Bundle } from "@sigstore/bundle";
import { type Signer, toSignedEntity } from "@sigstore/verify";

import { refusal } from "../../platform/errors/refusal.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { sourceRepository } from "./certificate.ts";
import { repositoryAddress } from "./repository.ts";
import { packageUrl, statementIn } from "./statement.ts";
import { verifierOf } from "./trusted-root.ts";

/** A verified statement, as the table `attestations` keeps it. */
export interface VerifiedAttestation {
  readonly predicateType: string;
  readonly bundle: unknown;
}

/** The package version that a statement must name. */
interface Subject {
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
  /** Its package.json. */
  readonly manifest: Readonly<Record<string, unknown>>;
}

/**
 * Verifies the Sigstore bundles that came with a version as its clients will, and that the build ran in the repository
 * which package.json names. Ask before the transaction that publishes.
 */
export function verifyAttestations(
  { settings }: Pick<Hub, "settings">,
  { verified, bundles }: { readonly verified: Subject; readonly bundles: readonly string[] },
): readonly VerifiedAttestation[] {
  const verifier = verifierOf(settings);
  if (verifier === undefined)
    throw refusal(
      "attestation-not-taken",
      "This hub does not verify provenance. Publish without --provenance, or ask its operator to set HUB_SIGSTORE_ROOT.",
    );
  return bundles.map((text) => {
    const [bundle, json] = parsed(text);
    const predicateType = checkSubject(bundle, verified);
    checkRepository(
      signerOf(() => verifier.verify(toSignedEntity(bundle))),
      verified,
    );
    return { predicateType, bundle: json };
  });
}

function parsed(text: string): readonly [Bundle, unknown] {
  try {
    const json: unknown = JSON.parse(text);
    return [bundleFromJSON(json), json];
  } catch (error) {
    throw refusal(
      "attestation-invalid",
      `The signed statement is not a Sigstore bundle: ${messageOf(error)}`,
    );
  }
}

function checkSubject(bundle: Bundle, { name, version, integrity }: Subject): string {
  const statement = statementIn(bundle);
  if (statement === undefined)
    throw refusal(
      "attestation-invalid",
      "The signed statement is not one of provenance (SLSA 0.2 or 1) of one package. Sign with npm publish --provenance.",
    );
  const [{ name: named, digest }] = statement.subject;
  const purl = packageUrl(name, version);
  if (named !== purl)
    throw refusal(
      "attestation-subject",
      `The signed statement is of ${named.slice(0, 250)}, and this is ${purl}.`,
    );
  const sha512 = Buffer.from(integrity.replace(/^sha512-/, ""), "base64").toString("hex");
  if (digest.sha512 !== sha512)
    throw refusal(
      "attestation-subject",
      `The signed statement is of another tarball: its SHA-512 is not that of ${name}@${version}.`,
    );
  return statement.predicateType;
}

function signerOf(verify: () => Signer): Signer {
  try {
    return verify();
  } catch (error) {
    throw refusal(
      "attestation-untrusted",
      `The signed statement does not verify by the authorities that this hub trusts: ${messageOf(error)}`,
    );
  }
}

function checkRepository(signer: Signer, { manifest }: Subject): void {
  const built = sourceRepository(signer);
  if (built === undefined)
    throw refusal(
      "attestation-untrusted",
      "The signed statement's certificate names no repository. Sign in GitHub Actions or GitLab CI.",
    );
  const linked = repositoryAddress(manifest["repository"]);
  if (linked === repositoryAddress(built)) return;
  throw refusal(
    "attestation-repository",
    `The package was built in ${built}, and package.json names ${linked ?? "no repository"}. Set "repository" to where it is built.`,
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

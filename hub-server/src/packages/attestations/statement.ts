import type { Bundle } from "@sigstore/bundle";
import * as z from "zod";

import { refusal } from "../../platform/errors/hub-error.ts";

const payloadType = "application/vnd.in-toto+json";

/** The in-toto statement that npm's clients sign: the built package and how it was built. */
const statement = z.looseObject({
  _type: z.enum(["https://in-toto.io/Statement/v1", "https://in-toto.io/Statement/v0.1"]),
  subject: z.tuple([
    z.looseObject({ name: z.string(), digest: z.looseObject({ sha512: z.string() }) }),
  ]),
  predicateType: z.enum(["https://slsa.dev/provenance/v1", "https://slsa.dev/provenance/v0.2"]),
});

/** The package version that a statement must describe. */
export interface StatementSubject {
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
}

/** Checks that a bundle contains a provenance statement about this version, and returns its predicate type. */
export function checkStatement(
  bundle: Bundle,
  { name, version, integrity }: StatementSubject,
): string {
  const provenance = parseStatement(bundle);
  if (provenance === undefined)
    throw refusal(
      "attestation-invalid",
      "The signed statement is not a provenance statement (SLSA 0.2 or 1) about one package. Sign with npm publish --provenance.",
    );
  const [subject] = provenance.subject;
  const purl = packageUrl(name, version);
  if (subject.name !== purl)
    throw refusal(
      "attestation-subject",
      `The signed statement describes ${subject.name.slice(0, 250)}, but the package is ${purl}. Publish and sign in one step: npm publish --provenance.`,
    );
  const sha512 = Buffer.from(integrity.replace(/^sha512-/, ""), "base64").toString("hex");
  if (subject.digest.sha512 !== sha512)
    throw refusal(
      "attestation-subject",
      `The signed statement describes another tarball: its SHA-512 differs from that of ${name}@${version}. Publish and sign in one step: npm publish --provenance.`,
    );
  return provenance.predicateType;
}

/** Returns undefined for content of another kind. Does not verify the signature. */
function parseStatement({ content }: Bundle): z.infer<typeof statement> | undefined {
  if (content.$case !== "dsseEnvelope" || content.dsseEnvelope.payloadType !== payloadType)
    return undefined;
  try {
    return statement.parse(JSON.parse(content.dsseEnvelope.payload.toString("utf8")));
  } catch {
    return undefined;
  }
}

/** The package URL of a version: `pkg:npm/%40envs/tictactoe@0.1.0`. */
function packageUrl(name: string, version: string): string {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

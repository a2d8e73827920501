import type { Bundle } from "@sigstore/bundle";
import * as z from "zod";

const payloadType = "application/vnd.in-toto+json";

/** What npm's clients sign: which package was built, and how. */
const statement = z.looseObject({
  _type: z.enum(["https://in-toto.io/Statement/v1", "https://in-toto.io/Statement/v0.1"]),
  subject: z.tuple([
    z.looseObject({ name: z.string(), digest: z.looseObject({ sha512: z.string() }) }),
  ]),
  predicateType: z.enum(["https://slsa.dev/provenance/v1", "https://slsa.dev/provenance/v0.2"]),
});

/** The statement of provenance in a bundle, not verified; undefined when it holds something else. */
export function statementIn({ content }: Bundle): z.infer<typeof statement> | undefined {
  if (content.$case !== "dsseEnvelope" || content.dsseEnvelope.payloadType !== payloadType)
    return undefined;
  try {
    return statement.parse(JSON.parse(content.dsseEnvelope.payload.toString("utf8")));
  } catch {
    return undefined;
  }
}

/** A version as statements name it: `pkg:npm/%40envs/tictactoe@0.1.0`. */
export function packageUrl(name: string, version: string): string {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

import type { Signer } from "@sigstore/verify";

/** Fulcio's extension for the address of the repository that a build ran in. */
const sourceRepositoryUri = "1.3.6.1.4.1.57264.1.12";
const utf8String = 0x0c;

/** The repository in a signer's certificate, such as `https://github.com/owner/name`. */
export function sourceRepository({ identity }: Signer): string | undefined {
  const found = identity?.oids?.find(({ oid }) => oid?.id.join(".") === sourceRepositoryUri);
  if (found === undefined) return undefined;
  const { value } = found;
  // DER: a tag, a length, the text. An address that needs a longer form of length is none.
  const isShort = value[0] === utf8String && value[1] === value.length - 2 && value.length < 130;
  return isShort ? value.subarray(2).toString("utf8") : undefined;
}

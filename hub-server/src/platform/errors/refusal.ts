import { HubError } from "./hub-error.ts";

/** Why a hub refuses a package: the permanent code, the HTTP status, and what the code means. */
export const refusals = {
  "name-invalid": [400, "The package's name does not follow the rules for names."],
  "version-invalid": [400, "The version is not strict semver, or it has build metadata."],
  "tag-invalid": [400, "The dist-tag is no plain word, or reads as a range of versions."],

  "document-invalid": [400, "The publish document does not have the form that clients send."],
  "document-versions": [400, "The publish document does not hold exactly one version."],
  "document-name": [400, "The address, the document and the package do not agree on the name."],
  "document-version": [400, "The document and the package do not agree on the version."],
  "document-tag": [400, "The document does not give exactly one dist-tag to its version."],
  "document-differs": [400, "The document promises another package than the tarball holds."],
  "attachment-missing": [400, "The document carries no tarball."],
  "attachment-name": [400, "An attachment is not named after the package and its version."],
  "attachment-encoding": [400, "An attachment is not what its kind is written in."],
  "attachment-length": [400, "An attachment has another length than the document says."],
  "integrity-mismatch": [400, "The tarball has another hash than the document says."],

  "tarball-too-large": [413, "The tarball has more bytes than the hub takes."],
  "tarball-unpacked-too-large": [413, "The tarball unpacks to more bytes than the hub takes."],
  "tarball-too-many-files": [413, "The tarball has more files and folders than the hub takes."],
  "tarball-not-gzip": [422, "The tarball is not compressed with gzip."],
  "tarball-truncated": [422, "The tarball ends before it is complete."],
  "tarball-corrupt": [422, "A checksum, a length or a number in the tarball is wrong."],
  "tarball-trailing-data": [422, "Something follows the end of the archive."],
  "tarball-unsupported": [422, "The archive uses a feature that clients read in different ways."],
  "tarball-link": [422, "The archive has a symbolic or hard link."],
  "tarball-special-file": [422, "The archive has a device, a pipe, or a setuid file."],

  "path-encoding": [422, "A path is not text in UTF-8."],
  "path-control-character": [422, "A path has a control or an invisible character."],
  "path-backslash": [422, "A path has a backslash, which is a separator on Windows only."],
  "path-absolute": [422, "A path begins at the root of a file system."],
  "path-not-normal": [422, "A path has an empty part, or the part `.` or `..`."],
  "path-outside-package": [422, "A path does not begin with `package/`."],
  "path-too-long": [422, "A path is longer than file systems take."],
  "path-unportable": [422, "Windows cannot have a file of that name."],
  "path-duplicate": [
    422,
    "Two files have one path on file systems that ignore case or accents' form.",
  ],
  "path-file-and-folder": [422, "A path is both a file and a folder."],
  "path-node-modules": [422, "The package brings packages along in node_modules."],

  "package-json-missing": [422, "The package has no package.json."],
  "package-json-invalid": [422, "package.json is not one plain JSON object."],
  "package-json-field": [
    422,
    "A field of package.json does not have the type that clients expect.",
  ],
  "package-private": [422, "package.json says that the package is private."],
  "install-script": [422, "Installing the package would run code."],
  "dependency-name": [422, "A dependency has a name that no package can have."],
  "dependency-source": [422, "A dependency comes from elsewhere than a registry."],
  "dependency-bundled": [422, "The package bundles its dependencies."],
  "bin-invalid": [422, "A command has an unusable name, or its file is outside the package."],

  "manifest-invalid": [422, "The environment's manifest does not follow its schema."],
  "manifest-package": [422, "The environment's manifest is of another package or version."],
  "manifest-content": [422, "The environment's manifest was made of other files than these."],

  "attestation-not-taken": [422, "The hub verifies no provenance, so it takes none."],
  "attestation-invalid": [
    422,
    "The signed statement is not one of provenance in a Sigstore bundle.",
  ],
  "attestation-subject": [422, "The signed statement is of another package, version or tarball."],
  "attestation-untrusted": [422, "No authority that the hub trusts stands behind the statement."],
  "attestation-repository": [422, "The package was built elsewhere than package.json says."],
} as const satisfies Record<string, readonly [status: 400 | 413 | 422, meaning: string]>;

/** The code of a refusal. It is permanent; the message may improve. */
export type RefusalCode = keyof typeof refusals;

/** Much of a message comes out of the package, and is printed to terminals: nothing in it is to be obeyed or hidden. */
const unprintable = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** The error to throw for a package that the hub does not take: what happened, why, and what to do. */
export function refusal(code: RefusalCode, message: string): HubError {
  const printable = message
    .toWellFormed()
    .replaceAll(unprintable, (each) => `\\u{${each.codePointAt(0)?.toString(16)}}`);
  return new HubError(refusals[code][0], code, { message: cut(printable, 1500) });
}

/** A text out of a package, for a message. */
export function quoted(text: string): string {
  return JSON.stringify(cut(text, 250));
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

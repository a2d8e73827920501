import type { HubErrorEntry } from "./hub-error.ts";

/** Errors of names, and of the document in which a client uploads a package. */
export const documentErrors = {
  "name-invalid": {
    status: 400,
    what: "The package name is not valid.",
    why: "It breaks npm's rules for names; the message states which one.",
    fix: "Choose lower-case letters, digits, dots, hyphens and underscores, such as `@scope/name`.",
  },
  "version-invalid": {
    status: 400,
    what: "The version is not valid.",
    why: "It is not strict semver, or it has build metadata (`+…`).",
    fix: "Write it as `1.2.3` or `1.2.3-beta.1`.",
  },
  "tag-invalid": {
    status: 400,
    what: "The dist-tag is not valid.",
    why: "It contains unsupported characters, or npm would read it as a version range.",
    fix: "Choose a word such as `latest` or `beta`.",
  },
  "document-invalid": {
    status: 400,
    what: "The body is not a package document.",
    why: "It lacks fields that npm clients send; the message lists them.",
    fix: "Publish with npm, pnpm, Yarn, Bun or `envs publish`.",
  },
  "document-versions": {
    status: 400,
    what: "The document does not contain exactly one version.",
    why: "The hub publishes one version per request.",
    fix: "Publish the versions one at a time.",
  },
  "document-name": {
    status: 400,
    what: "The package names in the URL, the document and the tarball differ.",
    why: "The document was edited, or built from another package's tarball.",
    fix: "Publish from the package's folder.",
  },
  "document-version": {
    status: 400,
    what: "The versions in the document and in the tarball differ.",
    why: "package.json changed after the tarball was packed.",
    fix: "Pack again, then publish from the package's folder.",
  },
  "document-tag": {
    status: 400,
    what: "The document does not assign exactly one dist-tag to its version.",
    why: "The hub sets one dist-tag per publish.",
    fix: "Publish with one `--tag`; add others with `npm dist-tag add`.",
  },
  "document-differs": {
    status: 400,
    what: "The document and the tarball's package.json disagree on a field.",
    why: "Clients install by the document, so a difference would hide dependencies or scripts.",
    fix: "Publish from the package's folder with an unmodified client.",
  },
  "attachment-missing": {
    status: 400,
    what: "The document has no tarball.",
    why: "It lacks the attachment `<name>-<version>.tgz`.",
    fix: "Publish with npm, pnpm, Yarn, Bun or `envs publish`.",
  },
  "attachment-name": {
    status: 400,
    what: "An attachment has an unexpected name.",
    why: "A document can contain `<name>-<version>.tgz` and `<name>-<version>.sigstore`.",
    fix: "Remove the other attachments.",
  },
  "attachment-encoding": {
    status: 400,
    what: "An attachment cannot be decoded.",
    why: "The tarball is not base64, or the signed statement is not JSON.",
    fix: "Publish again. If the statement fails again, publish without `--provenance`.",
  },
  "attachment-length": {
    status: 400,
    what: "An attachment has the wrong length, or is too long.",
    why: "The document declares another length, or the signed statement exceeds the hub's limit.",
    fix: "Publish again with an unmodified client.",
  },
  "integrity-mismatch": {
    status: 400,
    what: "The hash of the tarball differs from the one in the document.",
    why: "The tarball was changed or damaged after the client computed the hash.",
    fix: "Publish again. If it fails again, check proxies between the client and the hub.",
  },
} as const satisfies Record<string, HubErrorEntry>;
